import { VaultError } from '#errors';
import type { KernelResponse } from '#kernel';
import { readCurrent } from './change-document.ts';
import type { LinkSource } from './link-source.ts';
import { movedText } from './moved-text.ts';
import type { MovePlan } from './plan-move.ts';
import { refusalOf, type Submission, submitChange } from './submit-change.ts';
import type { LinkWriter } from './vault-links.ts';

/**
 * Asks the contract about every step before the first one is taken, so that a move that cannot be finished is not begun: rights, floors, immutable fields,
 * leases. Throws the refusal of the first step that would be refused.
 */
export const rehearseMove = async (source: LinkSource, plan: MovePlan, writer: LinkWriter): Promise<void> => {
  const { documents, referrers, move } = plan;
  await refuseHeldLeases(source, [...documents.flatMap(({ from, to }) => [from, to]), ...referrers]);
  const rehearsal = { ...writer, dryRun: true };
  const ask = async (submission: Submission, what: string): Promise<void> => {
    const response = await submitChange(source, rehearsal, submission);
    if (!response.success && !needsOnlyLease(response)) throw refusalOf(response, submission.path, `${what} '${submission.path}'`);
  };
  for (const { from, to, hash, made } of documents) {
    const current = await readCurrent(source, from);
    // As it is now: references between documents that move lead somewhere only later.
    if (made === null && current !== null) await ask({ type: 'operation', path: to, content: current.text, ifMatch: null }, 'making');
    await ask({ type: 'delete', path: from, ifMatch: hash }, 'removing');
  }
  for (const path of referrers) {
    const current = await readCurrent(source, path);
    if (current === null) continue;
    const declared = new Set(current.document.fields.filter(field => field.declared).map(({ field }) => field));
    const { patches } = movedText(source, current, move);
    const early = Object.fromEntries(Object.entries(patches).filter(([key]) => !declared.has(key)));
    await ask({ type: 'patch', path, patches: early, ifMatch: current.document.hash }, 'rewriting the links of');
  }
};

/** A lease that is required and held by nobody is taken when the step comes. */
const needsOnlyLease = (response: KernelResponse): boolean => !response.success && response.error.code === 'lease_conflict';

/** A lease says that somebody is at work on a document; what they send would meet a document that is not theirs any more. */
const refuseHeldLeases = async ({ leases, workspaceId }: LinkSource, paths: readonly string[]): Promise<void> => {
  for (const path of paths) {
    const lease = await leases.current(workspaceId, path);
    if (lease === null) continue;
    const message = `'${path}' is leased by '${lease.principal_id}' until ${lease.expires_at}; the move can be made when the lease has ended.`;
    throw new VaultError('lease_conflict', { path }, message);
  }
};
