import { createMove } from '#semantic';
import { changeDocument, readCurrent } from './change-document.ts';
import type { LinkSource, SurveyLinks } from './link-source.ts';
import { movedText } from './moved-text.ts';
import { affected, type MovedDocument, type MovePlan } from './plan-move.ts';
import { refusalReason, submitUnderLease } from './submit-change.ts';
import type { LinkEdit, LinkWriter, MoveStep } from './vault-links.ts';

type StepWriter = LinkWriter & { readonly correlationId: string };

/** How often the vault is looked through again for links that were written meanwhile. */
const rounds = 4;

/** Takes the steps of a move in their order and ends at the first that is refused; what it does not reach is `left`. */
export const runMove = async (source: LinkSource, survey: SurveyLinks, plan: MovePlan, first: StepWriter): Promise<readonly MoveStep[]> => {
  const steps: MoveStep[] = [];
  let writer = first;
  const take = (step: MoveStep): boolean => {
    steps.push(step);
    // The first document that was made is the cause of everything after it.
    if (writer === first && step.event_id !== undefined) writer = { ...first, causationId: step.event_id };
    return step.outcome !== 'refused';
  };
  const left = (step: MoveStep['step'], paths: readonly string[]): void => {
    for (const path of paths) steps.push({ step, path, outcome: 'left', edits: [] });
  };
  const ordered = inOrderOfReference(plan.documents, plan);
  // The other way round: what links to others goes before them.
  const backwards = ordered.toReversed();
  const removals = backwards.map(({ from }) => from);
  for (const [index, document] of ordered.entries()) {
    if (take(await makeStep(source, document, plan, writer))) continue;
    left(
      'create',
      ordered.slice(index + 1).map(({ to }) => to),
    );
    left('rewrite', plan.referrers);
    left('delete', removals);
    return steps;
  }
  for (let round = 0, referrers = plan.referrers; referrers.length > 0 && round < rounds; round++) {
    for (const path of referrers) {
      const step = await rewriteStep(source, path, plan, writer);
      if (step !== null) take(step);
    }
    if (steps.some(({ outcome }) => outcome === 'refused')) break;
    referrers = await newReferrers(survey, plan, source);
  }
  if (steps.some(({ outcome }) => outcome === 'refused')) {
    left('delete', removals);
    return steps;
  }
  for (const [index, document] of backwards.entries()) {
    if (take(await removeStep(source, document, writer))) continue;
    left('delete', removals.slice(index + 1));
    break;
  }
  return steps;
};

/**
 * What others link to is made before them, as far as that goes, and pages of links last; what others refer to in frontmatter always is, because a reference must
 * lead somewhere when it is written.
 */
const inOrderOfReference = (documents: readonly MovedDocument[], { move }: MovePlan): readonly MovedDocument[] => {
  const { before } = move;
  const linked = afterTheirTargets(documents, from => {
    const document = before.documents.get(from);
    return (document?.links ?? []).flatMap(link => {
      const leads = before.resolve(link, from);
      return leads.kind === 'resolved' ? [leads.path] : [];
    });
  });
  return afterTheirTargets(linked, from => (before.documents.get(from)?.fields ?? []).map(({ path }) => path));
};

const afterTheirTargets = (documents: readonly MovedDocument[], targets: (from: string) => readonly string[]): readonly MovedDocument[] => {
  const byFrom = new Map(documents.map(document => [document.from, document]));
  const ordered = new Set<MovedDocument>();
  const begun = new Set<MovedDocument>();
  // A stack of its own: links may form a chain as long as the vault.
  for (const first of documents) {
    const open = [first];
    for (let document = open.at(-1); document !== undefined; document = open.at(-1)) {
      if (!begun.has(document)) {
        begun.add(document);
        for (const path of targets(document.from)) {
          const target = byFrom.get(path);
          if (target !== undefined && !begun.has(target)) open.push(target);
        }
      } else {
        open.pop();
        ordered.add(document);
      }
    }
  }
  return [...ordered];
};

const makeStep = async (source: LinkSource, document: MovedDocument, { move }: MovePlan, writer: StepWriter): Promise<MoveStep> => {
  const { from, to, key, hash, made } = document;
  if (made !== null) return { step: 'create', path: to, outcome: 'already', edits: [], event_id: made.event_id };
  const current = await readCurrent(source, from);
  if (current?.document.hash !== hash)
    return { step: 'create', path: to, outcome: 'refused', edits: [], reason: `'${from}' has changed since the move was planned` };
  const { text, edits } = movedText(source, current, move);
  const submission = {
    type: 'operation',
    path: to,
    content: text,
    ifMatch: null,
    key: `${key}-create`,
    intent: `move ${from} to ${to}`,
  } as const;
  return stepOf('create', to, edits, await submitUnderLease(source, writer, submission));
};

const removeStep = async (source: LinkSource, { from, to, hash, key }: MovedDocument, writer: StepWriter): Promise<MoveStep> => {
  const submission = { type: 'delete', path: from, ifMatch: hash, key: `${key}-delete`, intent: `move ${from} to ${to}` } as const;
  return stepOf('delete', from, [], await submitUnderLease(source, writer, submission));
};

const stepOf = (
  step: MoveStep['step'],
  path: string,
  edits: readonly LinkEdit[],
  response: Awaited<ReturnType<typeof submitUnderLease>>,
): MoveStep => {
  if (!response.success) return { step, path, outcome: 'refused', edits, reason: refusalReason(response) };
  const outcome = response.replay === true ? 'already' : 'done';
  return { step, path, outcome, edits, ...(response.event_id === undefined ? {} : { event_id: response.event_id }) };
};

const rewriteStep = async (source: LinkSource, path: string, { move }: MovePlan, writer: StepWriter): Promise<MoveStep | null> => {
  const plan = (current: Parameters<typeof movedText>[1]) => {
    const change = movedText(source, current, move);
    return Object.keys(change.patches).length === 0 ? null : change;
  };
  const change = await changeDocument(source, path, writer, plan, submission => submitUnderLease(source, writer, submission));
  if (change === null) return null;
  const { edits, event_id, reason } = change;
  const outcome = change.outcome === 'refused' ? 'refused' : 'done';
  return {
    step: 'rewrite',
    path,
    outcome,
    edits,
    ...(event_id === undefined ? {} : { event_id }),
    ...(reason === undefined ? {} : { reason }),
  };
};

/** Documents that somebody gave a link to the old places while the others were rewritten. */
const newReferrers = async (survey: SurveyLinks, { documents }: MovePlan, { registry }: LinkSource): Promise<readonly string[]> => {
  const goals = new Set(documents.map(({ to }) => to));
  const all = await survey();
  const moves = new Map(documents.map(({ from, to }) => [from, to]));
  const present = all.filter(({ path }) => !goals.has(path));
  return affected(all, createMove(present, moves, registry)).referrers;
};
