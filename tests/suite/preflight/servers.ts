/** Servers of the tests on what stops a run, each at a free port of 127.0.0.1. */
import { readFileSync } from 'node:fs';
import { createServer as createHttp, type RequestListener } from 'node:http';
import { createSecureServer, createServer as createH2c } from 'node:http2';
import { createServer as createHttps, type ServerOptions } from 'node:https';
import { type AddressInfo, connect, createServer as createTcp, type Server, type Socket } from 'node:net';
import { createServer as createTls } from 'node:tls';

/** A self-signed certificate and its private key, for a test server on this machine only. */
const PEM = readFileSync(new URL('certificate.pem', import.meta.url));
const SECURE = { cert: PEM, key: PEM };

/** A fatal alert: protocol_version (RFC 8446, section 6). */
const ALERT = Buffer.from([21, 3, 1, 0, 2, 2, 70]);

const page = (status: number, body: string, headers: Record<string, string> = {}): RequestListener => {
  return (_, response) => response.writeHead(status, { 'Content-Type': 'text/html', ...headers }).end(body);
};

export const answering = (status: number, body: string) => (): Server => createHttp(page(status, body));

/** As nginx writes it. @param location of the path that was requested. */
export const redirecting = (location: (url: string) => string | undefined) => (): Server =>
  createHttp((request, response) => {
    const to = location(request.url ?? '');
    const body = '<html>\r\n<head><title>Moved</title></head>\r\n</html>';
    page(301, body, to === undefined ? {} : { Location: to })(request, response);
  });

export const secured =
  (options: ServerOptions = {}) =>
  (): Server =>
    createHttps({ ...SECURE, ...options }, page(200, '[]'));

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

/** @param port 0 takes a free one. @returns also its host, `127.0.0.1:8080`. */
export async function listen(make: () => Server, port = 0) {
  const server = make();
  const sockets = new Set<Socket>();
  let again: NodeJS.Timeout | undefined;
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)));
  });
  const open = (at: number) => new Promise<void>((done) => server.listen(at, '127.0.0.1', done));
  await open(port);
  const { port: bound } = server.address() as AddressInfo;
  const close = (): void => {
    clearTimeout(again);
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  /** Closes the port for some milliseconds. */
  const restart = (ms: number): void => {
    close();
    again = setTimeout(() => void open(bound), ms);
  };
  return { host: `127.0.0.1:${bound}`, restart, close };
}
