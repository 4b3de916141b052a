/** A forward proxy of a few lines on 127.0.0.1, for plain HTTP and CONNECT. */
import { createServer, type IncomingHttpHeaders, request as sendOn } from 'node:http';
import { connect, type Socket } from 'node:net';
import { listen } from './servers.ts';

export interface ProxyOptions {
  /** `user:password`; without them it answers 407. */
  credentials?: string;
  /** Its status for every CONNECT. */
  refuses?: number;
  /** Never answers. */
  hangs?: boolean;
  /** Headers of the answers that it writes itself. */
  own?: Record<string, string>;
  /** Their statuses: without credentials, and without a target. */
  statuses?: readonly [number, number];
  /** Whether what it forwards has no Via. */
  isSilent?: boolean;
}

export async function startProxy(options: ProxyOptions) {
  const { credentials, refuses, hangs, own: given = {}, statuses = [407, 503], isSilent } = options;
  const [unauthenticated, unreachable] = statuses;
  /** What it was asked for, as `GET http://…` and `CONNECT host:port`, with headers. */
  const asked: { line: string; headers: IncomingHttpHeaders }[] = [];
  const wanted = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
  const fields = { 'Content-Type': 'text/html', ...given };
  const via = isSilent ? {} : { Via: '1.1 test-proxy' };
  const server = createServer((request, response) => {
    const { method, url = '', headers } = request;
    asked.push({ line: `${method} ${url}`, headers });
    if (hangs) return;
    if (wanted !== undefined && headers['proxy-authorization'] !== wanted)
      return void response.writeHead(unauthenticated, fields).end('<html>no</html>');
    const forwarded = sendOn(url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...via });
      answer.pipe(response);
    });
    forwarded.on('error', () => response.writeHead(unreachable, fields).end('<html>cannot connect</html>'));
    request.pipe(forwarded);
  });
  server.on('connect', ({ url = '', headers }, client: Socket) => {
    asked.push({ line: `CONNECT ${url}`, headers });
    client.on('error', () => {});
    if (hangs) return;
    const status = wanted !== undefined && headers['proxy-authorization'] !== wanted ? 407 : refuses;
    if (status !== undefined) return void client.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const [, host = '', port] = /^\[?(.*?)\]?:(\d+)$/.exec(url) ?? [];
    const target = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.pipe(target).pipe(client);
    });
    target.on('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
  });
  const { host, close } = await listen(() => server);
  return { host, asked, close };
}
