import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import type { Vault } from '#api';
import type { Authenticator, BrowserSessions } from '#identity';
import type { RateLimit } from './guards/rate-limits.ts';

/** How a server behaves; every member has a default but `origins`. */
export interface HttpSettings {
  /**
   * The origins under which the server is reached, such as `http://127.0.0.1:4177`. Asked for each request, because a port that the system
   * chooses is known only when the server listens.
   */
  readonly origins: () => readonly string[];
  /** Largest body of one request, and largest envelope of a stream. */
  readonly maxBodyBytes: number;
  /** How long a bounded body may take to arrive. */
  readonly bodyTimeoutMs: number;
  /** How many envelopes of one stream run at once. */
  readonly streamConcurrency: number;
  /** Bytes of a stream that were read and not yet answered, before reading waits. */
  readonly streamPendingBytes: number;
  /** How long closing waits for what is under way. */
  readonly closeTimeoutMs: number;
  /** Requests of one principal; the guards have a default. */
  readonly rateLimit?: RateLimit;
  /** PEM texts; with them the server speaks TLS. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** What a server does unless it is told otherwise. */
export const defaultHttpSettings = {
  maxBodyBytes: 16 * 1024 * 1024,
  bodyTimeoutMs: 30_000,
  streamConcurrency: 64,
  streamPendingBytes: 32 * 1024 * 1024,
  closeTimeoutMs: 10_000,
} as const satisfies Omit<HttpSettings, 'origins' | 'rateLimit' | 'tls'>;

/** Makes what answers `/mcp` for the vault as this server counts and times it; the MCP room has one. */
export type McpHttp = (parts: {
  readonly vault: Vault;
  readonly onError: (error: unknown) => void;
}) => (request: FastifyRequest, reply: FastifyReply) => unknown;

/** What an HTTP surface is made of. */
export interface HttpServerOptions {
  readonly vault: Vault;
  readonly authenticator: Authenticator;
  readonly sessions: BrowserSessions;
  readonly settings: Pick<HttpSettings, 'origins'> & Partial<HttpSettings>;
  readonly logger: FastifyBaseLogger;
  /** Absent = no `/mcp`. */
  readonly mcp?: McpHttp;
}
