import type { CallName } from '#api';

/** How one call of the product is reached over HTTP. Parameters of the URL and of the query, and members of the body, are the members of its input. */
export interface CallRoute {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** With `:name` for each parameter. */
  readonly url: string;
  readonly call: CallName;
  /** Default 200. */
  readonly status?: 201;
  /** The answer is a response of the contract, and has its statuses (§6.5). */
  readonly contract?: true;
}

/** Every call that needs nothing of its own: envelopes and the reading of one document have routes beside this table. */
export const callRoutes: readonly CallRoute[] = [
  { method: 'GET', url: '/v1/documents', call: 'document.list' },
  { method: 'GET', url: '/v1/tree', call: 'document.tree' },
  { method: 'GET', url: '/v1/search', call: 'search.query' },
  { method: 'GET', url: '/v1/graph', call: 'graph.query' },
  { method: 'GET', url: '/v1/render', call: 'document.render' },
  { method: 'GET', url: '/v1/events', call: 'event.list' },
  { method: 'GET', url: '/v1/events/:event_id', call: 'event.show' },
  { method: 'GET', url: '/v1/events/:id/trace', call: 'event.trace' },
  { method: 'GET', url: '/v1/sessions', call: 'event.sessions' },
  { method: 'GET', url: '/v1/events/:event_id/change', call: 'history.show' },
  { method: 'POST', url: '/v1/events/:event_id/undo', call: 'history.undo', status: 201, contract: true },
  { method: 'GET', url: '/v1/history/document', call: 'history.read' },
  { method: 'GET', url: '/v1/history/diff', call: 'history.diff' },
  { method: 'GET', url: '/v1/history/blame', call: 'history.blame' },
  { method: 'POST', url: '/v1/history/collect', call: 'history.collect' },
  { method: 'POST', url: '/v1/history/git', call: 'history.git' },
  { method: 'GET', url: '/v1/links', call: 'links.show' },
  { method: 'POST', url: '/v1/links/check', call: 'links.check' },
  { method: 'POST', url: '/v1/links/fix', call: 'links.fix' },
  { method: 'POST', url: '/v1/links/suggest', call: 'links.suggest' },
  { method: 'POST', url: '/v1/links/apply', call: 'links.apply' },
  { method: 'POST', url: '/v1/move', call: 'document.move' },
  { method: 'POST', url: '/v1/toc', call: 'toc.write' },
  { method: 'POST', url: '/v1/memory/check', call: 'memory.check' },
  { method: 'POST', url: '/v1/memory/resolve', call: 'memory.resolve' },
  { method: 'POST', url: '/v1/feedback', call: 'feedback.give', status: 201, contract: true },
  { method: 'POST', url: '/v1/feedback/rollup', call: 'feedback.rollup' },
  { method: 'POST', url: '/v1/workflows/fire', call: 'workflow.fire', status: 201 },
  { method: 'GET', url: '/v1/tasks', call: 'task.list' },
  { method: 'POST', url: '/v1/tasks/claim', call: 'task.claim', status: 201 },
  { method: 'POST', url: '/v1/tasks/step', call: 'task.step', status: 201 },
  { method: 'POST', url: '/v1/tasks/finish', call: 'task.finish' },
  { method: 'POST', url: '/v1/tasks/cancel', call: 'task.cancel' },
  { method: 'POST', url: '/v1/tasks/decide', call: 'task.decide' },
  { method: 'GET', url: '/v1/runs', call: 'run.list' },
  { method: 'GET', url: '/v1/runs/show', call: 'run.show' },
  { method: 'GET', url: '/v1/runtime', call: 'runtime.status' },
  { method: 'GET', url: '/v1/leases', call: 'lease.list' },
  { method: 'POST', url: '/v1/leases', call: 'lease.acquire', status: 201 },
  { method: 'POST', url: '/v1/leases/:lease_id/renew', call: 'lease.renew' },
  { method: 'DELETE', url: '/v1/leases/:lease_id', call: 'lease.release' },
  { method: 'GET', url: '/v1/status', call: 'vault.status' },
  { method: 'POST', url: '/v1/adopt', call: 'vault.adopt' },
  { method: 'POST', url: '/v1/check', call: 'vault.check' },
  { method: 'POST', url: '/v1/recover', call: 'vault.recover' },
  { method: 'GET', url: '/v1/models', call: 'model.list' },
  { method: 'POST', url: '/v1/models', call: 'model.set', status: 201 },
  { method: 'DELETE', url: '/v1/models/:name', call: 'model.remove' },
  { method: 'POST', url: '/v1/models/:name/test', call: 'model.test' },
  { method: 'GET', url: '/v1/executors', call: 'executor.list' },
  { method: 'POST', url: '/v1/executors', call: 'executor.set', status: 201 },
  { method: 'DELETE', url: '/v1/executors/:kind/:name', call: 'executor.remove' },
  { method: 'GET', url: '/v1/secrets', call: 'secret.list' },
  { method: 'POST', url: '/v1/secrets', call: 'secret.set', status: 201 },
  { method: 'DELETE', url: '/v1/secrets/:name', call: 'secret.remove' },
  { method: 'GET', url: '/v1/hooks', call: 'hook.list' },
  { method: 'POST', url: '/v1/hooks', call: 'hook.secret', status: 201 },
  { method: 'DELETE', url: '/v1/hooks/:name', call: 'hook.remove' },
  { method: 'GET', url: '/v1/index', call: 'index.status' },
  { method: 'POST', url: '/v1/index/rebuild', call: 'index.rebuild' },
  { method: 'POST', url: '/v1/index/repair', call: 'index.repair' },
  { method: 'GET', url: '/v1/registry', call: 'registry.show' },
  { method: 'POST', url: '/v1/registry/lock', call: 'registry.lock' },
  { method: 'POST', url: '/v1/registry/verify', call: 'registry.verify' },
  { method: 'POST', url: '/v1/primitives/new', call: 'primitive.new' },
  { method: 'POST', url: '/v1/primitives/check', call: 'primitive.check' },
  { method: 'POST', url: '/v1/primitives/activate', call: 'primitive.activate' },
  { method: 'GET', url: '/v1/index/embedder', call: 'index.embedder' },
  { method: 'POST', url: '/v1/index/embed', call: 'index.embed' },
  { method: 'GET', url: '/v1/principals', call: 'principal.list' },
  { method: 'POST', url: '/v1/principals', call: 'principal.add', status: 201 },
  { method: 'DELETE', url: '/v1/principals/:id', call: 'principal.revoke' },
  { method: 'POST', url: '/v1/principals/:id/token', call: 'principal.token', status: 201 },
];

/** The names of a route's URL parameters. */
export const urlParameters = (url: string): readonly string[] => [...url.matchAll(/:(\w+)/g)].map(match => match[1] ?? '');
