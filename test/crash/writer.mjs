// A writer that a supervisor may kill at any moment. It says on stdout what it tries and what was acknowledged, one JSON line each,
// with synchronous writes so that a kill cannot swallow an acknowledgement that was already given.
import { writeSync } from 'node:fs';
import { openVault } from '#open-vault';

const [root, name, seed, lockTimeoutMs] = process.argv.slice(2);
const say = line => writeSync(1, `${JSON.stringify(line)}\n`);

let state = Number(seed) >>> 0;
const random = below => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 4294967296) * below);
};

const principal = {
  id: `agent:${name}`,
  kind: 'agent',
  workspaceIds: ['ws-crash'],
  capabilities: ['*:*'],
  authentication: { provider: 'test', assurance: 'verified' },
};
const head = (type, extra) => `---\ntype: ${type}\ntitle: "T"\ndescription: "D"\ntimestamp: 2026-05-16T14:00:00Z\n${extra}---\n`;
const rule = text => `${head('rule', 'name: "R"\n')}${text}\n`;
const thread = () => head('thread', `thread_id: "t-${name}-${random(1e9)}"\nstatus: active\n`);

const vault = await openVault({ root, ...(lockTimeoutMs === undefined ? {} : { lockTimeoutMs: Number(lockTimeoutMs) }) });
const envelope = index => {
  const key = `${name}-${seed}-${index}`;
  const base = { workspace_id: 'ws-crash', idempotency_key: key };
  const path = `rules/${['a', 'b', 'deep/er/c', 'd', `${name}-own`][random(5)]}.md`;
  const roll = random(10);
  if (roll < 4) return { ...base, type: 'operation', path, content: rule(`${key} ${'x'.repeat(random(3000))}`) };
  if (roll < 7) return { ...base, type: 'patch', path, patches: { [`x_${random(4)}`]: key } };
  if (roll === 7) return { ...base, type: 'delete', path };
  if (roll === 8) return { ...base, type: 'event', path: 'shop/door', content: JSON.stringify({ key }) };
  const log = `threads/t${random(3)}.md`;
  return random(3) === 0
    ? { ...base, type: 'operation', path: log, content: thread() }
    : { ...base, type: 'patch', path: log, patches: { __body__: `### turn 1 — user — 2026-05-16T14:00:00Z\n${key}\n` } };
};

say({ ready: true });
let next = 0;
const caller = async () => {
  for (;;) {
    const request = envelope(next++);
    say({ try: request });
    const response = await vault.execute(request, { principal });
    say({ done: request.idempotency_key, response });
  }
};
await Promise.all(Array.from({ length: 4 }, caller));
