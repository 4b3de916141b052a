/** Servers of the tests on what stops a run, each at a free port of 127.0.0.1. */
import { createServer as createHttp, type RequestListener } from 'node:http';
import { createSecureServer, createServer as createH2c } from 'node:http2';
import { createServer as createHttps, type ServerOptions } from 'node:https';
import { type AddressInfo, connect, createServer as createTcp, type Server, type Socket } from 'node:net';
import { createServer as createTls } from 'node:tls';
import { CERTIFICATE, PRIVATE_KEY } from './self-signed.ts';

const SECURE = { cert: CERTIFICATE, key: PRIVATE_KEY };

/** A fatal alert: protocol_version (RFC 8446, section 6). */
const ALERT = Buffer.from([21, 3, 1, 0, 2, 2, 70]);

const page = (status: number, body: string, headers: Record<string, string> = {}): RequestListener => {
  return (_, response) => response.writeHead(status, { 'Content-Type': 'text/html', ...headers }).end(body);
};

export const answering = (status: number, body: string, headers?: Record<string, string>) => (): Server =>
  createHttp(page(status, body, headers));

/** As nginx writes it. @param location of the path that was requested. */
export const redirecting = (status: number, location: (url: string) => string | undefined) => (): Server =>
  createHttp((request, response) => {
    const to = location(request.url ?? '');
    page(
      status,
      '<html>\r\n<head><title>Moved</title></head>\r\n</html>',
      to === undefined ? {} : { Location: to },
    )(request, response);
  });

export const secured =
  (options: ServerOptions = {}, status = 200, body = '[]') =>
  (): Server =>
    createHttps({ ...SECURE, ...options }, page(status, body));

export const http2 = (): Server => createSecureServer(SECURE);
export const h2c = (): Server => createH2c();
export const alerting = (): Server => createTcp((socket) => void socket.end(ALERT));

/** Ends TLS in front of a server of this machine. */
export const endingTls = (port: number) => (): Server =>
  createTls(SECURE, (socket) => {
    const inner = connect(port, '127.0.0.1');
    socket.on('error', () => inner.destroy()).pipe(inner);
    inner.on('error', () => socket.destroy()).pipe(socket);
  });

export interface Listening {
  /** `127.0.0.1:8080` */
  host: string;
  close: () => void;
}

export async function listen(make: () => Server): Promise<Listening> {
  const server = make();
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => {})));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}
