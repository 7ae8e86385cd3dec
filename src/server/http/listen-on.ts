import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ownRefusals, refuseBrokenRequest } from './broken-request.ts';
import { defaultHttpSettings, type HttpSettings } from './http-options.ts';

/** A server that is bound. */
export interface Listening {
  readonly port: number;
  /** The hosts that are bound. */
  readonly hosts: readonly string[];
  /** Answers what is under way, then frees every address. */
  close(): Promise<void>;
}

export interface ListenOptions {
  readonly host: string;
  /** 0 = one that is free. */
  readonly port: number;
  readonly tls?: HttpSettings['tls'];
  readonly closeTimeoutMs?: number;
}

/**
 * Binds the server. On loopback both addresses are bound, or neither: whoever held the other one could receive what a browser sends to a name that
 * means both (identity: what every request must be). A machine without IPv6 has only one.
 */
export const listenOn = async (app: FastifyInstance, options: ListenOptions): Promise<Listening> => {
  const { host, closeTimeoutMs = defaultHttpSettings.closeTimeoutMs } = options;
  await app.listen({ host, port: options.port });
  const { port } = app.server.address() as AddressInfo;
  const otherHost = otherLoopback(host);
  let beside: Server | null = null;
  try {
    if (otherHost !== null) beside = await bindBeside(app, { ...options, host: otherHost, port });
  } catch (error) {
    await app.close();
    throw error;
  }
  return {
    port,
    hosts: beside === null || otherHost === null ? [host] : [host, otherHost],
    close: async () => {
      await Promise.all([app.close(), beside === null ? undefined : closeServer(beside, closeTimeoutMs)]);
    },
  };
};

const otherLoopback = (host: string): string | null => {
  if (host === '127.0.0.1') return '::1';
  return host === '::1' ? '127.0.0.1' : null;
};

/** Null when the machine does not have the address at all. */
const bindBeside = async (app: FastifyInstance, { host, port, tls }: ListenOptions): Promise<Server | null> => {
  const handle = (request: IncomingMessage, response: ServerResponse): void => app.routing(request, response);
  const server: Server = tls === undefined ? createServer(ownRefusals, handle) : createTlsServer({ ...tls, ...ownRefusals }, handle);
  server.on('clientError', refuseBrokenRequest);
  server.on('checkExpectation', handle);
  const { keepAliveTimeout, requestTimeout, maxHeadersCount } = app.server;
  Object.assign(server, { keepAliveTimeout, requestTimeout, maxHeadersCount });
  try {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen({ host, port, ipv6Only: true }, resolve));
    return server;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return null;
    throw error;
  }
};

const closeServer = async (server: Server, patienceMs: number): Promise<void> => {
  const late = setTimeout(() => server.closeAllConnections(), patienceMs);
  await new Promise<void>(resolve => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearTimeout(late);
};
