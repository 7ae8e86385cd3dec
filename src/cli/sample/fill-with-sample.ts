import { createHash } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { CliError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { readSampleExtensions, readSampleFiles } from './sample-files.ts';
import { type SampleActor, type SampleStep, sampleActors, tellSampleStory } from './sample-story.ts';

export const sampleKeyPrefix = 'sample-';

/** A page of links has no frontmatter and is a document all the same; a README is neither. */
const isDocument = (file: { readonly path: string; readonly text: string }): boolean =>
  basename(file.path) === 'index.md' || /^\uFEFF?---[ \t]*\r?\n/.test(file.text);

/**
 * Fills a fresh vault with the sample: the extension first, then every document through the Operation Contract, referenced documents before those
 * that refer to them. Keys are derived from the content, so a filling can be repeated: what is done is not done again.
 */
export const fillWithSample = async (
  root: string,
  context: CommandContext,
): Promise<{ readonly documents: number; readonly events: number }> => {
  const bare = await context.openAt(root);
  for (const [id, text] of readSampleExtensions()) await bare.registryFiles?.updateExtension(id, current => current ?? text);
  // An open vault keeps the registry it started with.
  const vault = await context.openAt(root);
  const files = readSampleFiles();
  const steps = tellSampleStory(files.filter(isDocument));
  const eventIds = new Map<string, string>();
  const write = async (step: SampleStep): Promise<void> => {
    const response = await vault.execute(envelopeOf(step, vault.workspaceId), {
      principal: principalOf(step.actor, vault.workspaceId),
      correlationId: step.correlation,
      ...causeOf(step, eventIds),
    });
    if (!response.success)
      throw new CliError('sample_failed', `the sample's ${step.id} was refused: ${response.error.message} [${response.error.code}]`);
    if (response.event_id !== undefined) eventIds.set(step.id, response.event_id);
  };
  for (const group of new Set(steps.map(step => step.group))) {
    if (context.signal.aborted) break;
    await Promise.all(steps.filter(step => step.group === group).map(write));
  }
  for (const { path, text } of files.filter(file => !isDocument(file)))
    if (!existsSync(join(root, path))) writeFileSync(join(root, path), text);
  return { documents: steps.filter(step => 'path' in step.change).length, events: eventIds.size };
};

const envelopeOf = (step: SampleStep, workspaceId: string): object => {
  const { change, intent } = step;
  const target =
    'path' in change
      ? { type: 'operation', path: change.path, content: change.text }
      : { type: 'event', path: change.subject, content: JSON.stringify(change.payload) };
  const key = createHash('sha256')
    .update(JSON.stringify([step.id, target.content]))
    .digest('hex');
  return { ...target, workspace_id: workspaceId, idempotency_key: `${sampleKeyPrefix}${key}`, intent };
};

const causeOf = (step: SampleStep, eventIds: ReadonlyMap<string, string>): { readonly causationId?: string } => {
  const cause = step.causedBy === undefined ? undefined : eventIds.get(step.causedBy);
  return cause === undefined ? {} : { causationId: cause };
};

const principalOf = (id: SampleActor, workspaceId: string): object => ({
  id,
  ...sampleActors[id],
  workspaceIds: [workspaceId],
  authentication: { provider: 'sample', assurance: 'verified' },
});
