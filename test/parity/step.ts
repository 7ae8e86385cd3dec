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

export const rule = (name: string, body = 'Body.'): string =>
  `---\ntype: rule\ntitle: ${name}\ndescription: D\ntimestamp: "2026-05-16T14:00:00Z"\nname: ${name}\n---\n${body}\n`;
export const memory =
  '---\ntype: memory\ntitle: M\ndescription: D\ntimestamp: "2026-05-16T14:00:00Z"\nslug: m\ncategory: facts\nstatus: active\nschema_version: 1\n---\nSecret.\n';

export type Envelope = Readonly<Record<string, unknown>>;
export const operation = (key: string, path: string, content: string, more: Envelope = {}): Envelope => ({
  type: 'operation',
  workspace_id: workspace,
  idempotency_key: key,
  path,
  content,
  ...more,
});
export const patch = (key: string, path: string, patches: Envelope): Envelope => ({
  type: 'patch',
  workspace_id: workspace,
  idempotency_key: key,
  path,
  patches,
});
export const event = (key: string, path: string, content: string): Envelope => ({
  type: 'event',
  workspace_id: workspace,
  idempotency_key: key,
  path,
  content,
});

export const step = (
  name: string,
  who: Who,
  call: CallName,
  input: Step['input'] | Envelope,
  expect: string,
  edit?: Step['edit'],
): Step => ({
  name,
  who,
  call,
  input: typeof input === 'function' ? input : () => input,
  expect,
  ...(edit === undefined ? {} : { edit }),
});

export const submit = (name: string, envelope: unknown, expect: string, more: Envelope = {}, who: Who = 'person'): Step =>
  step(name, who, 'envelope.submit', { envelope, ...more }, expect);

export const stale = `sha256:${'0'.repeat(64)}`;
