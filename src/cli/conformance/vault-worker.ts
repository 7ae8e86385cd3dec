// A process that opens a vault and runs what it is sent, line by line; it can kill or stop itself at one point of a commit.
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Vault } from '#api';
import { openVault, type VaultAdapters } from '#open-vault';
import type { Json, JsonMap } from './json.ts';
import { execute, leaseCall } from './library-vault.ts';
import type { CrashPoint } from './scenario.ts';
import type { Request } from './vault-under-test.ts';

interface WorkerOptions {
  /** Opened at once; without it, whatever the messages say. */
  readonly root?: string;
  readonly at?: CrashPoint;
  readonly signal?: 'SIGKILL' | 'SIGSTOP';
}

const tell = (value: unknown): number => writeSync(1, `${JSON.stringify(value)}\n`);

const interrupt = async (signal: 'SIGKILL' | 'SIGSTOP'): Promise<void> => {
  if (signal === 'SIGSTOP') writeSync(1, 'stopping\n');
  process.kill(process.pid, signal);
  // A signal sent to oneself may take effect a moment later; nothing may run on after a kill.
  if (signal === 'SIGKILL') await new Promise(() => undefined);
};

const interrupting = (options: WorkerOptions, { vfs, events, ...others }: VaultAdapters): VaultAdapters => {
  const { at, signal = 'SIGKILL' } = options;
  let due = at !== undefined;
  const reached = async (point: CrashPoint): Promise<void> => {
    if (!due || point !== at) return;
    due = false;
    await interrupt(signal);
  };
  const following = <T extends object>(target: T, methods: readonly string[], then: CrashPoint): T =>
    new Proxy(target, {
      get: (_, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        if (name === 'intentJournal')
          return () => journal(Reflect.apply(member, target, []) as ReturnType<typeof vfs.intentJournal & object>);
        if (!methods.includes(String(name))) return member.bind(target);
        return async (...args: readonly unknown[]) => {
          const answer: unknown = await Reflect.apply(member, target, args);
          await reached(then);
          return answer;
        };
      },
    });
  const journal = (real: ReturnType<NonNullable<typeof vfs.intentJournal>>): typeof real => ({
    run: (path, intent, commit, resolve) =>
      real.run(
        path,
        intent,
        async scope => {
          await reached('after_intent');
          return commit(scope);
        },
        resolve,
      ),
    settle: (path, resolve) => real.settle(path, resolve),
    recover: resolve => real.recover(resolve),
  });
  return {
    ...others,
    vfs: following(vfs, ['writeAtomic', 'remove'], 'after_write'),
    events: following(events, ['append'], 'after_append'),
  };
};

const options = JSON.parse(process.argv[2] ?? '{}') as WorkerOptions;
const open = (root: string): Promise<Vault> =>
  openVault({ root, stateDir: `${root}.state`, wrapAdapters: adapters => interrupting(options, adapters) });

interface Message {
  readonly open?: string;
  readonly close?: true;
  readonly submit?: Request;
  readonly lease?: JsonMap;
  readonly principal?: Json;
}

let vault = options.root === undefined ? null : await open(options.root);
const close = async (): Promise<void> => {
  await vault?.close();
  vault = null;
};
const answer = async (message: Message): Promise<unknown> => {
  if (message.open !== undefined) vault = await open(message.open);
  else if (message.close === true) await close();
  else if (vault === null) throw new Error('no vault is open');
  else if (message.submit !== undefined) return execute(vault, message.submit);
  else return leaseCall(vault, message.lease ?? {}, message.principal ?? null);
  return 'done';
};

tell('ready');
for await (const line of createInterface({ input: process.stdin })) tell(await answer(JSON.parse(line) as Message));
await close();
