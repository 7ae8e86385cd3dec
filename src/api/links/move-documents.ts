import { randomUUID } from 'node:crypto';
import { readCurrent } from './change-document.ts';
import { finishedMove } from './finished-move.ts';
import type { LinkSource, SurveyLinks } from './link-source.ts';
import { movedText } from './moved-text.ts';
import { type MovePlan, planMove } from './plan-move.ts';
import { rehearseMove } from './rehearse-move.ts';
import { runMove } from './run-move.ts';
import type { LinkEdit, LinkWriter, MoveReport, MoveStep } from './vault-links.ts';

/**
 * See `VaultLinks.move`. First every document is made at its new place, then every link is written anew, then the old ones are removed: at no moment does a
 * link lead nowhere, and at every moment the whole text exists (readings: moving documents).
 */
export const moveDocuments = async (
  source: LinkSource,
  survey: SurveyLinks,
  from: string,
  to: string,
  writer: LinkWriter,
): Promise<MoveReport> => {
  const all = await survey();
  const finished = await finishedMove(source, all, from, to, writer.principal);
  if (finished !== null) return finished;
  const plan = await planMove(source, all, from, to, writer.principal);
  const begun = plan.documents.find(({ made }) => made !== null)?.made ?? null;
  const correlationId = writer.correlationId ?? begun?.correlation_id ?? `mv-${randomUUID()}`;
  await rehearseMove(source, plan, { ...writer, correlationId });
  const dryRun = writer.dryRun === true;
  const steps = dryRun ? await plannedSteps(source, plan) : await runMove(source, survey, plan, { ...writer, correlationId });
  return {
    from,
    to,
    dry_run: dryRun,
    complete: steps.every(({ outcome }) => outcome !== 'refused' && outcome !== 'left'),
    correlation_id: correlationId,
    moves: plan.documents.map(document => ({ from: document.from, to: document.to })),
    steps,
    kept: plan.kept,
    staying: plan.staying,
  };
};

const plannedSteps = async (source: LinkSource, { documents, referrers, move }: MovePlan): Promise<readonly MoveStep[]> => {
  const edits = async (path: string): Promise<readonly LinkEdit[]> => {
    const current = await readCurrent(source, path);
    return current === null ? [] : movedText(source, current, move).edits;
  };
  const steps: MoveStep[] = [];
  for (const { from, to, made } of documents) {
    steps.push({ step: 'create', path: to, outcome: made === null ? 'planned' : 'already', edits: await edits(from) });
  }
  for (const path of referrers) steps.push({ step: 'rewrite', path, outcome: 'planned', edits: await edits(path) });
  for (const { from } of documents) steps.push({ step: 'delete', path: from, outcome: 'planned', edits: [] });
  return steps;
};
