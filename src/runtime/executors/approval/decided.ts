import { hashContent } from '#document';
import type { Execution, ExecutionOutcome, HumanDecision } from '../executor.ts';
import { oneLine } from '../fence.ts';
import { type Approval, readApproval } from './approval.ts';

/** What a decision asks for: an outcome at once, or the approved action. */
export const decidedAction = (decision: HumanDecision): { readonly outcome: ExecutionOutcome } | { readonly approval: Approval } => {
  if (!decision.approved) {
    return { outcome: { kind: 'failed', reason: `rejected by ${decision.by}: ${oneLine(decision.reason)}`, retry: false } };
  }
  const approval = readApproval(decision.question);
  return approval === null
    ? { outcome: { kind: 'failed', reason: 'what was approved cannot be read back from the question, so nothing was done', retry: false } }
    : { approval };
};

/** Writes what a person approved, and nothing else; stops at the first refusal. */
export const writeApproved = async (execution: Execution, approval: Approval, by: string): Promise<ExecutionOutcome> => {
  if (approval.action.kind !== 'write') return { kind: 'failed', reason: 'what was approved is no write', retry: false };
  for (const { why: _, patches, content, ifMatch, ...write } of approval.action.writes) {
    const answer = await execution.vault.submit({
      ...write,
      ...(content === undefined ? {} : { content }),
      ...(patches === undefined ? {} : { patches }),
      ...(ifMatch === undefined ? {} : { ifMatch }),
    });
    // An attempt that died half-way may have written this already.
    const done = answer.success || (content !== undefined && (await execution.vault.read(write.path))?.hash === hashContent(content));
    await execution.step({
      name: `${write.type} ${oneLine(write.path)}`,
      status: done ? 'ok' : 'failed',
      text: done ? `Written as ${by} approved.` : `Refused${answer.success ? '' : ` (${answer.code}): ${oneLine(answer.message, 500)}`}`,
      provenance: [write.path],
    });
    if (!done) return { kind: 'failed', reason: `${write.path}: ${answer.success ? '' : answer.message}`, retry: false };
  }
  return { kind: 'succeeded', summary: `wrote ${approval.action.writes.map(({ path }) => path).join(', ')} as ${by} approved` };
};
