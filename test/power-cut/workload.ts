import { setImmediate as turn } from 'node:timers/promises';
import type { FakeClock, Random } from '#adapter-contracts/testing';
import { isVaultError, reasonOf } from '#errors';
import { type Envelope, type History, type LeaseAttempt, type Request, send } from './history.ts';
import { agent, type OpenedVault, workspaceId } from './opened-vault.ts';
import { claim, rule, thread } from './sequential-model.ts';

export interface WorkloadSize {
  readonly processes: number;
  readonly clients: number;
  readonly requests: number;
  /** Only events, which many callers append at once. */
  readonly eventsOnly?: boolean;
}

const rulePaths = ['rules/a.md', 'rules/a.md', 'rules/b.md', 'deep/er/c.md', 'new/d.md', 'rules/A.md'];
const threadPath = 'threads/t.md';
const claimPath = 'claims/k.md';

/** One client of one process: sends requests as its seed decides, one after the other. */
export interface Client {
  readonly name: string;
  readonly vault: OpenedVault;
  readonly history: History;
  readonly clock: FakeClock;
  readonly random: Random;
  readonly isAlive: () => boolean;
}

const pick = <T>(random: Random, choices: readonly T[]): T => choices[Math.floor(random() * choices.length)]!;

export const runClient = async (client: Client, { requests, eventsOnly = false }: WorkloadSize): Promise<void> => {
  const { random, isAlive, clock } = client;
  for (let sent = 0; sent < requests && isAlive(); sent += 1) {
    for (let turns = Math.floor(random() * 4); turns > 0; turns -= 1) await turn();
    clock.advance(Math.floor(random() * 20));
    const key = `${client.name}-${sent}`;
    if (eventsOnly) await send(client.history, { envelope: eventOf(key), principal: agent(client.name) }, client.vault.execute, isAlive);
    else await step(client, key);
  }
};

const step = async (client: Client, key: string): Promise<void> => {
  const { random, history, vault, isAlive } = client;
  const roll = random();
  if (roll < 0.12) return claimAndWrite(client, key);
  const request = (roll < 0.25 ? earlier(random, history) : null) ?? (await fresh(client, key));
  if (isAlive()) await send(history, request, vault.execute, isAlive);
};

/** A request of anyone, to be sent once more; often one that got no answer yet, because its process is slow or dead. */
const earlier = (random: Random, { attempts }: History): Request | null => {
  const unanswered = random() < 0.5 ? attempts.filter(({ response }) => response === null) : [];
  const choices = unanswered.length > 0 ? unanswered : attempts;
  return choices.length === 0 ? null : pick(random, choices).request;
};

const fresh = async ({ random, vault, name }: Client, key: string): Promise<Request> => {
  const envelope = freshEnvelope(random, key);
  const request = { envelope, principal: agent(name) };
  if (envelope.type === 'event' || random() < 0.7) return request;
  const expected = random() < 0.2 ? null : await vault.store.vfs.read(envelope.path).catch(() => null);
  return { ...request, ifMatch: expected?.hash ?? null };
};

/** A few bodies that several writers use, so that different requests leave the same bytes; and long ones that span disk sectors. */
const body = (random: Random, key: string): string => {
  const roll = random();
  if (roll < 0.4) return pick(random, ['x\n', 'y\n']);
  return `${key} ${'long '.repeat(roll < 0.7 ? 0 : Math.floor(random() * 300))}\n`;
};

const namedBy = (key: string) => ({ workspace_id: workspaceId, idempotency_key: key });
const eventOf = (key: string): Envelope => ({ ...namedBy(key), type: 'event', path: 'shop/door', content: JSON.stringify({ key }) });

const freshEnvelope = (random: Random, key: string): Envelope => {
  const named = namedBy(key);
  const path = pick(random, rulePaths);
  const roll = random();
  if (roll < 0.4) return { ...named, type: 'operation', path, content: rule(Math.floor(random() * 2), body(random, key)) };
  if (roll < 0.55) return { ...named, type: 'patch', path, patches: { count: Math.floor(random() * 9) } };
  if (roll < 0.6) return { ...named, type: 'patch', path, patches: { __body__: body(random, key) } };
  if (roll < 0.72) return { ...named, type: 'delete', path };
  if (roll < 0.82) return eventOf(key);
  if (roll < 0.88) return { ...named, type: 'operation', path: threadPath, content: thread('') };
  return { ...named, type: 'patch', path: threadPath, patches: { __body__: body(random, key) } };
};

/** Takes a lease, writes under it, and mostly gives it back. */
const claimAndWrite = async (client: Client, key: string): Promise<void> => {
  const { random, vault, isAlive, history, name } = client;
  const { leases } = vault.store;
  const operationId = `op-${key}`;
  const principal = agent(name);
  const asked: LeaseAttempt = {
    target: claimPath,
    principalId: principal.id,
    operationId,
    startedAt: history.tick(),
    lease: null,
    changed: false,
  };
  history.leases.push(asked);
  const ttlSeconds = random() < 0.3 ? 0.05 : 60;
  const taken = await leases
    .acquire({ workspace_id: workspaceId, target: claimPath, principal_id: principal.id, operation_id: operationId, ttlSeconds })
    .catch((error: unknown) => {
      if (isAlive() && !(isVaultError(error) && error.code === 'lease_conflict')) history.surprises.push(`a lease: ${reasonOf(error)}`);
      return null;
    });
  if (taken === null || !isAlive()) return;
  asked.lease = taken;
  const envelope: Envelope = {
    type: 'operation',
    workspace_id: workspaceId,
    idempotency_key: key,
    path: claimPath,
    content: claim(0, body(random, key)),
    operation_id: operationId,
    lease_id: taken.lease_id,
  };
  await send(history, { envelope, principal }, vault.execute, isAlive);
  if (!isAlive() || random() < 0.4) return;
  asked.changed = true;
  await leases
    .release(workspaceId, claimPath, { lease_id: taken.lease_id, principal_id: principal.id, operation_id: operationId })
    .catch(() => undefined);
};
