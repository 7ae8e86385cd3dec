// Requests that a test may send by the hundred, and their bookkeeping.
import type { Vault } from '#api';
import { type Answer, type History, type Request, remember, writerPrincipal } from '../crash/history.ts';

const head = 'title: T\ndescription: D\ntimestamp: 2026-05-16T14:00:00Z\n';
let made = 0;
const request = (body: Pick<Request, 'type' | 'path'> & Partial<Request>): Request => {
  made += 1;
  return { workspace_id: 'ws-crash', idempotency_key: `${body.type}-${made}`, ...body };
};

export const writeRule = (path: string, text: string): Request =>
  request({ type: 'operation', path, content: `---\ntype: rule\n${head}name: R\n---\n${text}\n` });
export const writeThread = (path: string): Request =>
  request({ type: 'operation', path, content: `---\ntype: thread\n${head}thread_id: t\nstatus: active\n---\n` });
export const patchDocument = (path: string, patches: Readonly<Record<string, string>>): Request =>
  request({ type: 'patch', path, patches });
export const deleteDocument = (path: string): Request => request({ type: 'delete', path });
export const recordEvent = (path: string): Request => request({ type: 'event', path, content: '{"opened":true}' });

/** Sends a request as an agent that may do everything, and notes it and its answer. */
export const send = async (history: History, vault: Pick<Vault, 'execute'>, sent: Request): Promise<Answer> => {
  const response = (await vault.execute(sent, { principal: writerPrincipal('machine') })) as Answer;
  remember(history, 'machine', [{ try: sent }, { done: sent.idempotency_key, response }]);
  return response;
};
