import type { Writable } from 'node:stream';
import type { Logger } from 'pino';
import type { AdoptionResult, Vault } from '#api';
import { openServerIdentity, vaultStateDir } from '#identity';
import { createHttpServer, type HttpSettings, listenOn } from '#server/http';
import { mcpHttpHandler } from '#server/mcp';
import { createServiceLog } from './service-log.ts';

/** What to serve, where, and to whom it is reachable. */
export interface ServerOptions {
  readonly vault: Vault;
  /** Default `127.0.0.1`, together with `::1`. */
  readonly host?: string;
  /** Default 4177; 0 = one that is free. */
  readonly port?: number;
  /** Origins under which others reach the server, such as `https://sheaf.example.org` behind a proxy. */
  readonly origins?: readonly string[];
  readonly tls?: HttpSettings['tls'];
  /** Speak plain HTTP beyond this machine: everything, tokens included, can be read on the way. */
  readonly insecure?: boolean;
  /** Where `oidc.json` may name the team's identity provider. Default: `vaultStateDir` of the vault. */
  readonly stateDir?: string;
  /** Where the log goes: one JSON object per line. */
  readonly log: Writable;
  readonly logLevel?: 'info' | 'warn';
  readonly settings?: Partial<HttpSettings>;
  /** Fires what is due and does tasks meanwhile, so many at once. Default: none of that. */
  readonly workers?: number;
}

/** A server that answers. */
export interface RunningServer {
  readonly port: number;
  /** How the server is reached from this machine, without a path. */
  readonly url: string;
  readonly origins: readonly string[];
  /** A fresh one-time link for the browser of the person at this machine: good once, for two minutes. */
  link(): string;
  /** Finishes what is under way, ends every session and stream, and frees the port. The vault stays open. */
  close(): Promise<void>;
}

/** Plain HTTP beyond this machine was asked for without saying so. */
export class InsecureHostError extends Error {
  override readonly name = 'InsecureHostError';
}

/** The port of `sheaf serve` unless it is told another. */
export const defaultPort = 4177;

/**
 * Serves a vault over HTTP and MCP (http: calls; mcp: tools) and follows its files meanwhile. Throws `InsecureHostError` for a host beyond loopback without TLS, unless `insecure`.
 *
 * @example const server = await startServer({ vault, log: process.stderr });
 */
export const startServer = async (options: ServerOptions): Promise<RunningServer> => {
  const { vault, host = '127.0.0.1', port = defaultPort, tls } = options;
  if (!isLoopback(host) && tls === undefined && options.insecure !== true) {
    throw new InsecureHostError(`Beyond this machine '${host}' needs TLS, or the consent to send everything in the clear.`);
  }
  const { authenticator, sessions } = openServerIdentity({
    workspaceId: vault.workspaceId,
    principals: vault.principals,
    person: vault.localPrincipal(),
    stateDir: options.stateDir ?? (vault.root === null ? null : vaultStateDir(vault.root)),
  });
  let origins: readonly string[] = [];
  const logger = createServiceLog(options.log, options.logLevel);
  const app = createHttpServer({
    vault,
    authenticator,
    sessions,
    logger,
    mcp: mcpHttpHandler,
    settings: { ...options.settings, origins: () => origins, ...(tls === undefined ? {} : { tls }) },
  });
  const listening = await listenOn(app, { host, port, ...(tls === undefined ? {} : { tls }) });
  const stopEmbedding = vault.embeddings.keepLevel();
  const watch = await vault.watch({ onAdopted: results => logAdoptions(logger, results) });
  const daemon = options.workers === undefined ? null : startDaemon(vault, options.workers, logger);
  const scheme = tls === undefined ? 'http' : 'https';
  const own = reachableHosts(listening.hosts).map(each => `${scheme}://${each.includes(':') ? `[${each}]` : each}:${listening.port}`);
  origins = [...own, ...(options.origins ?? [])];
  const url = own[0] ?? '';
  return {
    port: listening.port,
    url,
    origins,
    link: () => `${url}/#k=${sessions.createLink()}`,
    close: async () => {
      await listening.close();
      await daemon?.stop();
      await watch.close();
      await stopEmbedding();
      sessions.close();
    },
  };
};

/** The daemon beside the server: a line for each firing and each run, never the text of a document. */
const startDaemon = (vault: Vault, workers: number, logger: Logger): { stop(): Promise<void> } => {
  const stop = new AbortController();
  let waits: string | null = null;
  const running = vault.work.runDaemon({
    workers,
    signal: stop.signal,
    onRound(round) {
      if (round.waits !== null && round.waits !== waits) logger.warn({ reason: round.waits }, 'daemon waits');
      ({ waits } = round);
      for (const { outcome, trigger, scheduledFor, taskPath } of round.fired) {
        if (outcome === 'exists') continue;
        const about = {
          workflow_id: trigger.workflow.id,
          trigger_id: trigger.id,
          scheduled_for: scheduledFor,
          task_path: taskPath,
          outcome,
        };
        logger[outcome === 'failed' ? 'warn' : 'info'](about, 'firing');
      }
    },
    onTurn: ({ taskPath, runPath, outcome }) => logger.info({ task_path: taskPath, run_path: runPath, outcome }, 'run'),
    onFailure: error => logger.error({ err: error }, 'daemon'),
  });
  return {
    async stop() {
      stop.abort();
      await running;
    },
  };
};

/** One line per hand edit that was recorded or refused: the path, never the text. */
const logAdoptions = (logger: Logger, results: readonly AdoptionResult[]): void => {
  for (const { path, outcome, action, event_id } of results)
    logger[outcome === 'adopted' || outcome === 'unchanged' ? 'info' : 'warn'](
      { path, outcome, action, ...(event_id === undefined ? {} : { event_id }) },
      'hand edit',
    );
};

const isLoopback = (host: string): boolean => host === '127.0.0.1' || host === '::1';

/** A wildcard is no address anybody can ask for; from this machine it is reached at loopback, from elsewhere under a configured origin. */
const reachableHosts = (hosts: readonly string[]): readonly string[] =>
  hosts.flatMap(host => (host === '0.0.0.0' ? ['127.0.0.1'] : host === '::' ? ['::1', '127.0.0.1'] : [host]));
