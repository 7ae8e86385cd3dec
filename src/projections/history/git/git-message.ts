import { type GitBatch, principalId, timeOf } from './git-batches.ts';

/** What a commit of the history says, and where the next one goes on. */
export interface GitPosition {
  readonly workspaceId: string;
  readonly eventId: string;
}

const workspaceTrailer = 'Sheaf-Workspace: ';
const eventTrailer = 'Sheaf-Event: ';
const missingTrailer = 'Sheaf-Missing: ';

/** The message: what changed, and as trailers which events did it. Nothing in it can pass for a trailer, for each part stays on its line. */
export const commitMessage = (workspaceId: string, { versions }: GitBatch, missing: ReadonlySet<string>): string => {
  const lines = versions.map(({ action, path, adopted, event }) => {
    const changed: unknown = event.changed_fields;
    const fields = Array.isArray(changed) && changed.length > 0 ? ` (${changed.join(', ')})` : '';
    return oneLine(`${action} ${path}${adopted ? ', by hand' : fields}`);
  });
  const [first = ''] = lines;
  const subject = lines.length === 1 ? first : `${lines.length} changes by ${oneLine(principalId(versions[0]!))}`;
  const list = lines.length === 1 ? [] : [lines.map(line => `- ${line}`).join('\n')];
  const trailers = [
    `${workspaceTrailer}${oneLine(workspaceId)}`,
    ...[...missing].map(path => `${missingTrailer}${oneLine(path)}`),
    ...versions.map(({ event }) => `${eventTrailer}${oneLine(event.event_id)}`),
  ];
  return `${[subject, ...list, trailers.join('\n')].join('\n\n')}\n`;
};

/** Reads the position back from a commit; null when it is none of ours. */
export const positionOf = (commit: string): GitPosition | null => {
  const trailers = commit.trimEnd().split('\n\n').at(-1)?.split('\n') ?? [];
  const find = (name: string) => trailers.findLast(line => line.startsWith(name))?.slice(name.length);
  const [workspaceId, eventId] = [find(workspaceTrailer), find(eventTrailer)];
  return workspaceId === undefined || eventId === undefined ? null : { workspaceId, eventId };
};

/** A text on one line, without what git or a terminal would take for something else. */
export const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').slice(0, 1_000);

/** `Name <address> seconds +0000` of whoever caused the changes; git allows no angle brackets in a name. */
export const authorLine = ({ versions }: GitBatch): string => {
  const id = principalId(versions[0]!);
  const name = oneLine(id).replaceAll(/[<>]/g, '').trim() || 'unknown';
  const address = id.replaceAll(/[^A-Za-z0-9._:+-]+/g, '-').slice(0, 100) || 'unknown';
  return `${name} <${address}@sheaf.invalid> ${secondsOf({ versions })} +0000`;
};

/** The same commit from whichever machine it is made: its time is that of its last event. */
export const committerLine = (batch: GitBatch): string => `Sheaf <sheaf@sheaf.invalid> ${secondsOf(batch)} +0000`;

const secondsOf = ({ versions }: GitBatch): number => Math.floor(timeOf(versions.at(-1)!) / 1_000);
