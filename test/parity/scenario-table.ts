import type { CallName } from '#api';

/** Who makes the request: the person at this machine, a registered agent with few rights, or someone without a valid identity. */
export type Who = 'person' | 'clerk' | 'nobody';

/** What every surface must say: what the call gives, or the code it refuses with. */
export type Outcome = { readonly output: unknown } | { readonly refused: string };

export interface Step {
  readonly name: string;
  readonly who: Who;
  readonly call: CallName;
  /** Members may come from what earlier steps gave. */
  readonly input: (given: (step: string) => Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
  /** Changes a file behind the vault's back first: path → text. */
  readonly edit?: Readonly<Record<string, string>>;
  /** A call that an earlier step made, without which this one means nothing. */
  readonly needs?: CallName;
  /** `done`, or the code it is refused with; the surfaces must not merely agree. */
  readonly expect: string;
}

export const workspace = 'ws';

const rule = (name: string, body = 'Body.'): string =>
  `---\ntype: rule\ntitle: ${name}\ndescription: D\ntimestamp: "2026-05-16T14:00:00Z"\nname: ${name}\n---\n${body}\n`;
const memory =
  '---\ntype: memory\ntitle: M\ndescription: D\ntimestamp: "2026-05-16T14:00:00Z"\nslug: m\ncategory: facts\nstatus: active\nschema_version: 1\n---\nSecret.\n';

type Envelope = Readonly<Record<string, unknown>>;
const operation = (key: string, path: string, content: string, more: Envelope = {}): Envelope => ({
  type: 'operation',
  workspace_id: workspace,
  idempotency_key: key,
  path,
  content,
  ...more,
});
const patch = (key: string, path: string, patches: Envelope): Envelope => ({
  type: 'patch',
  workspace_id: workspace,
  idempotency_key: key,
  path,
  patches,
});
const event = (key: string, path: string, content: string): Envelope => ({
  type: 'event',
  workspace_id: workspace,
  idempotency_key: key,
  path,
  content,
});

const step = (name: string, who: Who, call: CallName, input: Step['input'] | Envelope, expect: string, edit?: Step['edit']): Step => ({
  name,
  who,
  call,
  input: typeof input === 'function' ? input : () => input,
  expect,
  ...(edit === undefined ? {} : { edit }),
});

const submit = (name: string, envelope: unknown, expect: string, more: Envelope = {}, who: Who = 'person'): Step =>
  step(name, who, 'envelope.submit', { envelope, ...more }, expect);

const stale = `sha256:${'0'.repeat(64)}`;

const envelopes: readonly Step[] = [
  submit('a create', operation('k1', 'rules/a.md', rule('a')), 'done'),
  submit('its replay', operation('k1', 'rules/a.md', rule('a')), 'done'),
  submit('another request under its key', operation('k1', 'rules/a.md', rule('b')), 'idempotency_conflict'),
  submit('a replace', operation('k2', 'rules/a.md', rule('a', 'Other.')), 'done'),
  submit('nothing new', operation('k3', 'rules/a.md', rule('a', 'Other.')), 'done'),
  submit('a stale replace', operation('k4', 'rules/a.md', rule('c')), 'version_conflict', { if_match: stale }),
  submit('a create of what is there', operation('k5', 'rules/a.md', rule('c')), 'version_conflict', { if_match: null }),
  submit('a rehearsal', operation('k6', 'rules/d.md', rule('d'), { dry_run: true }), 'done'),
  submit('an invalid document', operation('k7', 'rules/e.md', rule('e').replace('name: e\n', '')), 'validation_failed'),
  submit('a patch', patch('k8', 'rules/a.md', { title: 'Other', x_list: [1, { a: null }], __body__: 'New.\n' }), 'done'),
  submit('a patch of nothing', patch('k9', 'rules/none.md', { title: 'x' }), 'not_found'),
  submit('an event', event('k10', 'shop/door', '{"event_type":"opened","n":1.5,"who":"Zoë"}'), 'done', { correlation_id: 'flow-1' }),
  submit('an event without JSON', event('k11', 'shop/door', '{"event_type":'), 'invalid_request'),
  submit('a memory', operation('k12', 'memory/m.md', memory), 'done', { correlation_id: 'flow-1' }),
  submit('a path outside', operation('k13', '../a.md', rule('a')), 'invalid_request'),
  submit('a reserved path', operation('k14', '.ssss/a.md', rule('a')), 'invalid_request'),
  submit('another workspace', { ...operation('k15', 'rules/a.md', rule('a')), workspace_id: 'ws-other' }, 'forbidden'),
  submit('a number', 7, 'invalid_request'),
  submit('a text', 'rules/a.md', 'invalid_request'),
  submit('an empty envelope', {}, 'invalid_request'),
  submit('members of the wrong kind', { ...operation('k16', 'rules/a.md', rule('a')), dry_run: 'yes', path: 7 }, 'invalid_request'),
  submit('without the right', operation('k17', 'rules/f.md', rule('f')), 'forbidden', {}, 'clerk'),
  submit('with the right', event('k18', 'shop/till', '{"event_type":"counted"}'), 'done', {}, 'clerk'),
  submit('without identity', operation('k19', 'rules/f.md', rule('f')), 'unauthorized', {}, 'nobody'),
  submit('a delete', { type: 'delete', workspace_id: workspace, idempotency_key: 'k20', path: 'memory/m.md' }, 'done'),
  submit('a delete of nothing', { type: 'delete', workspace_id: workspace, idempotency_key: 'k21', path: 'memory/m.md' }, 'not_found'),
  submit('the memory again', operation('k22', 'memory/m.md', memory), 'done'),
];

const reads: readonly Step[] = [
  step('a document', 'person', 'document.read', { path: 'rules/a.md' }, 'done'),
  step('a document one may read', 'clerk', 'document.read', { path: 'rules/a.md' }, 'done'),
  step('an absent document', 'person', 'document.read', { path: 'rules/none.md' }, 'not_found'),
  step('an absent document for who may not see all', 'clerk', 'document.read', { path: 'memory/none.md' }, 'forbidden'),
  step('a hidden document', 'clerk', 'document.read', { path: 'memory/m.md' }, 'forbidden'),
  step('a document outside', 'person', 'document.read', { path: 'a/../../b.md' }, 'invalid_request'),
  step('a document for nobody', 'nobody', 'document.read', { path: 'rules/a.md' }, 'unauthorized'),
  step('a document in German', 'person', 'document.render', { path: 'rules/a.md', language: 'de' }, 'done'),
  step('a document in no language', 'person', 'document.render', { path: 'rules/a.md', language: 'no language' }, 'invalid_request'),
  step('an absent document in German', 'person', 'document.render', { path: 'rules/none.md', language: 'de' }, 'not_found'),
  step('a hidden document in German', 'clerk', 'document.render', { path: 'memory/m.md', language: 'de' }, 'forbidden'),
  step('a listing', 'person', 'document.list', {}, 'done'),
  step('a filtered listing', 'clerk', 'document.list', {}, 'done'),
  step('a listing by type', 'person', 'document.list', { type: 'rule', prefix: 'rules/' }, 'done'),
  step('a listing of an unknown type', 'person', 'document.list', { type: 'nonsense' }, 'invalid_request'),
  step('a tree', 'person', 'document.tree', {}, 'done'),
  step('a tree for nobody', 'nobody', 'document.tree', {}, 'unauthorized'),
  step('a search', 'person', 'search.query', { q: 'new' }, 'done'),
  step('a search of what one may read', 'clerk', 'search.query', { q: 'new' }, 'done'),
  step('a private search', 'person', 'search.query', { q: 'secret', private: true }, 'done'),
  step('a private search without the right', 'clerk', 'search.query', { q: 'secret', private: true }, 'forbidden'),
  step('a search with filters', 'person', 'search.query', { q: '"New."', type: 'rule', prefix: 'rules/' }, 'done'),
  step('a search for a type that is none', 'person', 'search.query', { q: 'new', type: 'nonsense' }, 'invalid_request'),
  step('a search for nothing', 'person', 'search.query', { q: '*' }, 'done'),
  step('a search by nobody', 'nobody', 'search.query', { q: 'new' }, 'unauthorized'),
  step('a graph', 'person', 'graph.query', { path: 'rules/a.md', depth: 2 }, 'done', { 'rules/linked.md': rule('linked', '[[a]]') }),
  step('a graph around what is hidden', 'clerk', 'graph.query', { path: 'memory/m.md' }, 'forbidden'),
  step('a graph around nothing', 'person', 'graph.query', { path: 'rules/none.md' }, 'not_found'),
  step('the log', 'person', 'event.list', {}, 'done'),
  step('the log of a subject', 'person', 'event.list', { subject: 'rules/a.md' }, 'done'),
  step('the log of a directory', 'person', 'event.list', { subject: 'shop/' }, 'done'),
  step('the log of a flow', 'person', 'event.list', { correlation_id: 'flow-1' }, 'done'),
  step('the log without the right', 'clerk', 'event.list', {}, 'forbidden'),
  step('an event by id', 'person', 'event.show', given => ({ event_id: given('an event').event_id }), 'done'),
  step('an unknown event', 'person', 'event.show', { event_id: '00000000-0000-4000-8000-000000000000' }, 'not_found'),
  step('a trace', 'person', 'event.trace', { id: 'flow-1' }, 'done'),
  step('the sessions', 'person', 'event.sessions', {}, 'done'),
  step('the sessions without the right', 'clerk', 'event.sessions', {}, 'forbidden'),
  step('a trace of nothing', 'person', 'event.trace', { id: 'no-such-flow' }, 'not_found'),
];

const meaning: readonly Step[] = [
  step('the embedding model', 'person', 'index.embedder', {}, 'done'),
  step('the embedding model without the right', 'clerk', 'index.embedder', {}, 'forbidden'),
  step('an embedding', 'person', 'index.embed', {}, 'done'),
  step('an embedding of nothing new', 'person', 'index.embed', {}, 'done'),
  step('an embedding without the right', 'clerk', 'index.embed', {}, 'forbidden'),
  step('an embedding by nobody', 'nobody', 'index.embed', {}, 'unauthorized'),
  step('the embedding model, level', 'person', 'index.embedder', {}, 'done'),
  // Where nobody can make the vectors, there is nothing to compare.
  { ...step('a search by meaning', 'person', 'search.query', { q: 'new bicycle' }, 'done'), needs: 'index.embed' },
];

const opposed = (slug: string, modality: string, polarity: string): string =>
  `---\ntype: memory\ntitle: ${slug}\ndescription: D\ntimestamp: "2026-05-16T14:00:00Z"\nslug: ${slug}\ncategory: facts\nstatus: proposed\nschema_version: 2\nconfidence: 1\nimportance: 3\nmodality: ${modality}\nsubject: shop\npredicate: opens\nobject: sunday\nsentiment_polarity: ${polarity}\n---\n`;

const careOfLinks: readonly Step[] = [
  submit(
    'a document with links',
    operation('l1', 'notes/l.md', rule('l', '[[a]] [x](/rules/A.md) [y](/rules/none.md) [z](/rules/a)')),
    'done',
  ),
  submit('a document with a mention', operation('l2', 'notes/m.md', rule('mention', 'Other things.')), 'done'),
  step('the links of a document', 'person', 'links.show', { path: 'notes/l.md' }, 'done'),
  step('the links of a document one may read', 'clerk', 'links.show', { path: 'rules/a.md' }, 'done'),
  step('the links of private documents without the right', 'clerk', 'links.show', { path: 'rules/a.md', private: true }, 'forbidden'),
  step('the links of a hidden document', 'clerk', 'links.show', { path: 'memory/m.md' }, 'forbidden'),
  step('a check of links', 'person', 'links.check', { paths: ['notes/'] }, 'done'),
  step('a check of links without the right', 'clerk', 'links.check', {}, 'forbidden'),
  step('planned repairs', 'person', 'links.fix', { paths: ['notes/'], dry_run: true }, 'done'),
  step('repairs', 'person', 'links.fix', { paths: ['notes/'] }, 'done'),
  step('mentions', 'person', 'links.suggest', { paths: ['notes/'] }, 'done'),
  step('mentions made links', 'person', 'links.apply', { paths: ['notes/'] }, 'done'),
  step('a planned move', 'person', 'document.move', { from: 'notes/l.md', to: 'notes/links.md', dry_run: true }, 'done'),
  step('a move', 'person', 'document.move', { from: 'notes/l.md', to: 'notes/links.md' }, 'done'),
  step('the move again', 'person', 'document.move', { from: 'notes/l.md', to: 'notes/links.md' }, 'done'),
  step('a move of nothing', 'person', 'document.move', { from: 'notes/none.md', to: 'notes/x.md' }, 'not_found'),
  step('a move without the right', 'clerk', 'document.move', { from: 'notes/links.md', to: 'notes/x.md' }, 'forbidden'),
  step('tables of contents', 'person', 'toc.write', { directory: 'notes' }, 'done'),
  step('tables of contents without the right', 'clerk', 'toc.write', {}, 'forbidden'),
];

const careOfMemory: readonly Step[] = [
  submit('a memory that asks', operation('m1', 'memory/ask.md', opposed('ask', 'must', 'directive_must')), 'done'),
  submit('a memory that forbids', operation('m2', 'memory/forbid.md', opposed('forbid', 'must_not', 'directive_must_not')), 'done'),
  step('a comparison of memories', 'person', 'memory.check', {}, 'done'),
  step('a comparison without the right', 'clerk', 'memory.check', {}, 'forbidden'),
  step('a comparison that records', 'person', 'memory.check', { record: true }, 'done'),
  step('a resolution of nothing', 'person', 'memory.resolve', { conflict: 'conflict-none', keep: 'both' }, 'not_found'),
  step(
    'a resolution',
    'person',
    'memory.resolve',
    given => ({ conflict: (given('a comparison that records').pairs as { conflict: string }[] | undefined)?.[0]?.conflict, keep: 'new' }),
    'done',
  ),
  step('feedback', 'person', 'feedback.give', { subject: 'shop/till', score: 0.5, comment: 'So so.' }, 'done'),
  step('feedback of a clerk', 'clerk', 'feedback.give', { subject: 'shop/till', score: 1 }, 'done'),
  step('a rollup', 'person', 'feedback.rollup', { paths: ['shop/'] }, 'done'),
  step('a rollup without the right', 'clerk', 'feedback.rollup', {}, 'forbidden'),
];

const leases: readonly Step[] = [
  step('a lease', 'person', 'lease.acquire', { target: 'rules/a.md', operation_id: 'op-1', ttl_seconds: 600 }, 'done'),
  step('a lease that is taken', 'person', 'lease.acquire', { target: 'rules/a.md', operation_id: 'op-2' }, 'lease_conflict'),
  step('a lease without the right', 'clerk', 'lease.acquire', { target: 'rules/a.md', operation_id: 'op-3' }, 'forbidden'),
  step('a lease of a path outside', 'person', 'lease.acquire', { target: '../a.md', operation_id: 'op-3' }, 'invalid_request'),
  step('the leases', 'person', 'lease.list', {}, 'done'),
  step("no leases of one's own", 'clerk', 'lease.list', {}, 'done'),
  step(
    'a renewal',
    'person',
    'lease.renew',
    given => ({ lease_id: given('a lease').lease_id, operation_id: 'op-1', ttl_seconds: 900 }),
    'done',
  ),
  step(
    'a renewal by another operation',
    'person',
    'lease.renew',
    given => ({ lease_id: given('a lease').lease_id, operation_id: 'op-9' }),
    'lease_conflict',
  ),
  step('a release', 'person', 'lease.release', given => ({ lease_id: given('a lease').lease_id, operation_id: 'op-1' }), 'done'),
  step(
    'a second release',
    'person',
    'lease.release',
    given => ({ lease_id: given('a lease').lease_id, operation_id: 'op-1' }),
    'lease_conflict',
  ),
];

const job = (title: string): string =>
  `---\ntype: task\ntitle: ${title}\ndescription: D\ntimestamp: "2026-05-16T14:00:00Z"\npriority: 50\ncategory: parity\nstatus: pending\n---\n`;
const flow =
  '---\ntype: workflow\ntitle: W\ndescription: D\ntimestamp: "2026-05-16T14:00:00Z"\nname: W\nworkflow_id: parity\nisActive: true\ntriggers:\n  - type: cron\n    id: never\n    cron: "0 0 30 2 *"\n---\n';
const held = (given: (step: string) => Readonly<Record<string, unknown>>, claim: string) => ({
  task: given(claim).task_path,
  lease_id: given(claim).lease_id,
  operation_id: given(claim).operation_id,
});

const work: readonly Step[] = [
  submit('a workflow', operation('w1', 'workflows/parity/WORKFLOW.md', flow), 'done'),
  submit('a task', operation('w2', 'tasks/one.md', job('One')), 'done'),
  submit('another task', operation('w3', 'tasks/two.md', job('Two')), 'done'),
  step('a firing', 'person', 'workflow.fire', { workflow: 'parity', key: 'fire-1' }, 'done'),
  step('the same firing', 'person', 'workflow.fire', { workflow: 'workflows/parity/WORKFLOW.md', key: 'fire-1' }, 'done'),
  step('a firing without the right', 'clerk', 'workflow.fire', { workflow: 'parity', key: 'fire-2' }, 'forbidden'),
  step('a firing of nothing', 'person', 'workflow.fire', { workflow: 'none', key: 'fire-3' }, 'not_found'),
  step(
    'a firing of a broken trigger',
    'person',
    'workflow.fire',
    { workflow: 'parity', trigger: 'never', key: 'fire-4' },
    'invalid_request',
  ),
  step('the runtime', 'person', 'runtime.status', {}, 'done'),
  step('the runtime without the right', 'clerk', 'runtime.status', {}, 'forbidden'),
  step('a claim', 'person', 'task.claim', { task: 'tasks/one.md', worker: 'w', ttl_seconds: 600 }, 'done'),
  step('a claim of what is claimed', 'person', 'task.claim', { task: 'tasks/one.md', worker: 'w2' }, 'lease_conflict'),
  step('a claim by nobody', 'nobody', 'task.claim', { task: 'tasks/two.md', worker: 'w' }, 'unauthorized'),
  step('a claim of nothing', 'person', 'task.claim', { task: 'tasks/none.md', worker: 'w' }, 'not_found'),
  step('a report', 'person', 'task.step', given => ({ ...held(given, 'a claim'), text: 'Did it.', name: 'do' }), 'done'),
  step(
    'a report under another operation',
    'person',
    'task.step',
    given => ({ ...held(given, 'a claim'), operation_id: 'x', text: 'No.' }),
    'lease_conflict',
  ),
  step('a report by somebody else', 'clerk', 'task.step', given => ({ ...held(given, 'a claim'), text: 'No.' }), 'lease_conflict'),
  step('an end', 'person', 'task.finish', given => ({ ...held(given, 'a claim'), status: 'done', text: 'All of it.' }), 'done'),
  step('the end again', 'person', 'task.finish', given => ({ ...held(given, 'a claim'), status: 'done', text: 'All of it.' }), 'done'),
  step('another end', 'person', 'task.finish', given => ({ ...held(given, 'a claim'), status: 'failed' }), 'lease_conflict'),
  step('the tasks that are done', 'person', 'task.list', { status: 'done' }, 'done'),
  step('the tasks without the right', 'clerk', 'task.list', {}, 'forbidden'),
  step('the runs', 'person', 'run.list', { task: 'tasks/one.md' }, 'done'),
  step('the runs without the right', 'clerk', 'run.list', {}, 'forbidden'),
  step('a run', 'person', 'run.show', { run: 'runs/one/1/RUN.md' }, 'done'),
  step('a run that is none', 'person', 'run.show', { run: 'tasks/one.md' }, 'not_found'),
  step('a second claim', 'clerk', 'task.claim', { task: 'tasks/two.md', worker: 'w', ttl_seconds: 600 }, 'done'),
  step(
    'a question',
    'clerk',
    'task.finish',
    given => ({ ...held(given, 'a second claim'), status: 'waiting_for_human', text: 'May I?' }),
    'done',
  ),
  step('a decision of an agent', 'clerk', 'task.decide', { task: 'tasks/two.md', approve: true, reason: 'Yes.' }, 'forbidden'),
  step('a decision', 'person', 'task.decide', { task: 'tasks/two.md', approve: true, reason: 'Yes.' }, 'done'),
  step('a decision too much', 'person', 'task.decide', { task: 'tasks/two.md', approve: true, reason: 'Yes.' }, 'version_conflict'),
  step('an end by force', 'person', 'task.cancel', { task: 'tasks/two.md', reason: 'No longer.' }, 'done'),
  step('an end by force without the right', 'clerk', 'task.cancel', { task: 'tasks/one.md' }, 'forbidden'),
];

const governing: readonly Step[] = [
  step('the status', 'person', 'vault.status', {}, 'done', { 'rules/a.md': rule('a', 'By hand.'), 'rules/hand.md': rule('hand') }),
  step('the status without the right', 'clerk', 'vault.status', {}, 'forbidden'),
  step('an adoption', 'person', 'vault.adopt', { paths: ['rules/a.md', 'rules/nowhere.md'], correlation_id: 'flow-2' }, 'done'),
  step('an adoption of all', 'person', 'vault.adopt', {}, 'done'),
  step('an adoption without the right', 'clerk', 'vault.adopt', {}, 'forbidden'),
  step('a check', 'person', 'vault.check', {}, 'done'),
  step('a check of one', 'person', 'vault.check', { paths: ['rules/broken.md'] }, 'done', {
    'rules/broken.md': rule('x').replace('name: x\n', ''),
  }),
  step('a rebuild of the index', 'person', 'index.rebuild', {}, 'done'),
  step('a rebuild of one projection', 'person', 'index.rebuild', { id: 'event_graph' }, 'done'),
  step('a rebuild of nothing', 'person', 'index.rebuild', { id: 'nonsense' }, 'invalid_request'),
  step('a rebuild without the right', 'clerk', 'index.rebuild', {}, 'forbidden'),
  step('the state of the index', 'person', 'index.status', {}, 'done'),
  step('the state of the index without the right', 'clerk', 'index.status', {}, 'forbidden'),
  step('a repair of the index', 'person', 'index.repair', {}, 'done'),
  step('a repair without the right', 'clerk', 'index.repair', {}, 'forbidden'),
  step('what was recovered', 'person', 'vault.recover', {}, 'done'),
  step('a recovery without the right', 'clerk', 'vault.recover', {}, 'forbidden'),
  step('a type', 'person', 'registry.show', { type: 'memory' }, 'done'),
  step('an unknown type', 'person', 'registry.show', { type: 'nonsense' }, 'invalid_request'),
  step('the lock', 'person', 'registry.lock', {}, 'done'),
  step('the lock without the right', 'clerk', 'registry.lock', {}, 'forbidden'),
  step('the verification', 'person', 'registry.verify', {}, 'done'),
  step('a new principal', 'person', 'principal.add', { id: 'agent:new', kind: 'agent', capabilities: ['ssss:rule:read'] }, 'done'),
  step(
    'a principal with more than one has',
    'clerk',
    'principal.add',
    { id: 'agent:x', kind: 'agent', capabilities: ['*:*'] },
    'forbidden',
  ),
  step('the principals', 'person', 'principal.list', {}, 'done'),
  step('a new token', 'person', 'principal.token', { id: 'agent:new' }, 'done'),
  step('a revocation', 'person', 'principal.revoke', { id: 'agent:new' }, 'done'),
  step('a token for the revoked', 'clerk', 'principal.token', { id: 'agent:new' }, 'forbidden'),
  step('a secret for a webhook', 'person', 'hook.secret', { name: 'form' }, 'done'),
  step('a secret by an agent', 'clerk', 'hook.secret', { name: 'form' }, 'forbidden'),
  step('the webhooks', 'person', 'hook.list', {}, 'done'),
  step('a webhook less', 'person', 'hook.remove', { name: 'form' }, 'done'),
  step('a webhook that is gone', 'person', 'hook.remove', { name: 'form' }, 'not_found'),
  step(
    'a new type',
    'person',
    'primitive.new',
    { primitive_id: 'shop:invoice', name: 'Invoice', idempotency_key: 'k30', timestamp: '2026-05-16T14:00:00Z' },
    'done',
  ),
  step('a type that can be activated', 'person', 'primitive.check', { path: 'primitives/shop/invoice.md' }, 'done'),
  step('a type that is none', 'person', 'primitive.check', { path: 'rules/a.md' }, 'done'),
  step('an activation without the right', 'clerk', 'primitive.activate', { path: 'primitives/shop/invoice.md' }, 'forbidden'),
  step('an activation', 'person', 'primitive.activate', { path: 'primitives/shop/invoice.md' }, 'done'),
];

const eventOf = (given: (step: string) => Readonly<Record<string, unknown>>, name: string): unknown => given(name).event_id;
const noEvent = '00000000-0000-4000-8000-000000000000';

const past: readonly Step[] = [
  step('what an event did', 'person', 'history.show', given => ({ event_id: eventOf(given, 'a replace') }), 'done'),
  step('what an event of no document did', 'person', 'history.show', given => ({ event_id: eventOf(given, 'an event') }), 'done'),
  step('what an unknown event did', 'person', 'history.show', { event_id: noEvent }, 'not_found'),
  step('what an event did without the right', 'clerk', 'history.show', given => ({ event_id: eventOf(given, 'a replace') }), 'forbidden'),
  step('a document at an event', 'person', 'history.read', given => ({ path: 'rules/a.md', at: eventOf(given, 'a create') }), 'done'),
  step(
    'an absent document at an event',
    'person',
    'history.read',
    given => ({ path: 'rules/none.md', at: eventOf(given, 'a create') }),
    'not_found',
  ),
  step('what was changed by hand', 'person', 'history.diff', { path: 'rules/a.md' }, 'done'),
  step(
    'what changed between two events',
    'person',
    'history.diff',
    given => ({ path: 'rules/a.md', from: eventOf(given, 'a create'), to: eventOf(given, 'a patch') }),
    'done',
  ),
  step('what changed nowhere', 'person', 'history.diff', { path: 'rules/none.md' }, 'not_found'),
  step(
    'what an event changed at another path',
    'person',
    'history.diff',
    given => ({ path: 'memory/m.md', from: eventOf(given, 'a create') }),
    'invalid_request',
  ),
  step('who set what', 'person', 'history.blame', { path: 'rules/a.md' }, 'done'),
  step('who set what without the right', 'clerk', 'history.blame', { path: 'rules/a.md' }, 'forbidden'),
  step('who set what in nothing', 'person', 'history.blame', { path: 'rules/none.md' }, 'not_found'),
  step('an undo of what moved on', 'person', 'history.undo', given => ({ event_id: eventOf(given, 'a replace') }), 'version_conflict'),
  step('a rehearsed undo', 'person', 'history.undo', given => ({ event_id: eventOf(given, 'a patch'), dry_run: true }), 'done'),
  step('an undo', 'person', 'history.undo', given => ({ event_id: eventOf(given, 'a patch') }), 'done'),
  step('an undo that was made already', 'person', 'history.undo', given => ({ event_id: eventOf(given, 'a patch') }), 'done'),
  step('an undo of the undo', 'person', 'history.undo', given => ({ event_id: eventOf(given, 'an undo') }), 'done'),
  step(
    'an undo of an event of no document',
    'person',
    'history.undo',
    given => ({ event_id: eventOf(given, 'an event') }),
    'invalid_request',
  ),
  step('an undo of an unknown event', 'person', 'history.undo', { event_id: noEvent }, 'not_found'),
  step('an undo without the right', 'clerk', 'history.undo', given => ({ event_id: eventOf(given, 'a patch') }), 'forbidden'),
  step('a rehearsed collection', 'person', 'history.collect', { dry_run: true }, 'done'),
  step('a collection without the right', 'clerk', 'history.collect', {}, 'forbidden'),
  step('where the history in git stands', 'person', 'history.git', { action: 'status' }, 'done'),
  step('the history in git switched on', 'person', 'history.git', { action: 'on' }, 'done'),
  step('the history in git switched off', 'person', 'history.git', { action: 'off' }, 'done'),
  step('the history in git where there is no repository', 'person', 'history.git', { action: 'sync' }, 'invalid_request'),
  step('the history in git without the right', 'clerk', 'history.git', { action: 'on' }, 'forbidden'),
];

const endpoint = { base_url: 'http://127.0.0.1:9/v1', model: 'small' };
const service = { origin: 'https://api.example', path: '/v1/items/{id}' };

const machine: readonly Step[] = [
  step('a model', 'person', 'model.set', { name: 'local', ...endpoint }, 'done'),
  step('a model again, with a key', 'person', 'model.set', { name: 'local', ...endpoint, key_env: 'SHEAF_PARITY_KEY' }, 'done'),
  step('a model by an agent', 'clerk', 'model.set', { name: 'local', ...endpoint }, 'forbidden'),
  step(
    'a model over a plain connection',
    'person',
    'model.set',
    { name: 'far', base_url: 'http://api.example/v1', model: 'm' },
    'invalid_request',
  ),
  step('the models', 'person', 'model.list', {}, 'done'),
  step('the models, asked by an agent', 'clerk', 'model.list', {}, 'forbidden'),
  step('a test of a model', 'person', 'model.test', { name: 'local' }, 'done'),
  step('a test by an agent', 'clerk', 'model.test', { name: 'local' }, 'forbidden'),
  step('a test of a model that is not set', 'person', 'model.test', { name: 'none' }, 'not_found'),
  step('a model less', 'person', 'model.remove', { name: 'local' }, 'done'),
  step('a model that is gone', 'person', 'model.remove', { name: 'local' }, 'not_found'),
  step('a program by an agent', 'clerk', 'executor.set', { kind: 'command', name: 'sh', setting: { argv: ['/bin/sh'] } }, 'forbidden'),
  step('a service', 'person', 'executor.set', { kind: 'service', name: 'items', setting: service }, 'done'),
  step('a service again', 'person', 'executor.set', { kind: 'service', name: 'items', setting: service }, 'done'),
  step(
    'a service over a plain connection',
    'person',
    'executor.set',
    { kind: 'service', name: 'far', setting: { ...service, origin: 'http://api.example' } },
    'invalid_request',
  ),
  step('the ceilings of assistants', 'person', 'executor.set', { kind: 'assistant', setting: { steps: 7 } }, 'done'),
  step('what is allowed', 'person', 'executor.list', {}, 'done'),
  step('what is allowed, asked by an agent', 'clerk', 'executor.list', {}, 'forbidden'),
  step('a service less', 'person', 'executor.remove', { kind: 'service', name: 'items' }, 'done'),
  step('a service that is gone', 'person', 'executor.remove', { kind: 'service', name: 'items' }, 'not_found'),
  step('a key', 'person', 'secret.set', { name: 'shop', origin: 'https://shop.example', value: 'k-0123456789' }, 'done'),
  step('a key by an agent', 'clerk', 'secret.set', { name: 'shop', origin: 'https://shop.example', value: 'k' }, 'forbidden'),
  step('a key for no origin', 'person', 'secret.set', { name: 'shop', origin: 'shop.example', value: 'k' }, 'invalid_request'),
  step('the keys', 'person', 'secret.list', {}, 'done'),
  step('a key less', 'person', 'secret.remove', { name: 'shop' }, 'done'),
  step('a key that is gone', 'person', 'secret.remove', { name: 'shop' }, 'not_found'),
];

/** What a user may ask, in the order in which it is asked of every surface. */
export const scenarioTable: readonly Step[] = [
  ...envelopes,
  ...reads,
  ...past,
  ...meaning,
  ...leases,
  ...work,
  ...governing,
  ...machine,
  ...careOfLinks,
  ...careOfMemory,
];
