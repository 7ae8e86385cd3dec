import type { EventStore } from '#adapter-contracts';
import { type DocumentVersion, documentVersion } from '../document-version.ts';
import { findRepository, historyRef, type VaultRepository } from './find-repository.ts';
import { createGitCommand, type GitCommand } from './git-command.ts';
import { firstLine, importVersions } from './git-import.ts';
import { oneLine, positionOf } from './git-message.ts';

/** Where the history in git stands. */
export interface GitHistoryState {
  /** Why it cannot be written; null when it can. */
  readonly reason: string | null;
  /** Where the vault lies in the repository; empty = at its top, null = there is none. */
  readonly vaultInRepository: string | null;
  readonly ref: string;
  /** The commit the ref names, null before the first. */
  readonly commit: string | null;
  /** The event up to which it goes. */
  readonly lastEventId: string | null;
  /** Changes in the log that it does not hold yet; null when that cannot be told. */
  readonly behind: number | null;
}

/** The documents of a vault as commits on `refs/sheaf/history`, a projection of the log that others can fetch (§10). */
export interface GitHistory {
  state(): Promise<GitHistoryState>;
  /** Commits what the log holds and the ref does not; gives the number of commits made. Throws an Error that says why it cannot. */
  sync(signal?: AbortSignal): Promise<{ readonly commits: number; readonly events: number }>;
}

interface GitHistorySource {
  readonly root: string;
  readonly events: EventStore;
  readonly workspaceId: string;
  readonly find: (hash: string, path: string) => Promise<Uint8Array | null>;
}

/** How many changes one import takes over: enough to be quick, few enough to be soon on the safe side. */
const versionsPerRound = 1_000;
/** Each is lost only to another process that was faster, and then there is less to do. */
const mostRaces = 20;

export const createGitHistory = (source: GitHistorySource): GitHistory => {
  let turn: Promise<unknown> = Promise.resolve();
  const sync = async (signal: AbortSignal | undefined) => {
    const done = { commits: 0, events: 0 };
    for (let races = 0; races < mostRaces && signal?.aborted !== true; ) {
      const { repository, git, tip } = await openRef(source.root);
      const versions = await versionsAfter(source, await cursorOf(source, git, tip), versionsPerRound);
      if (versions.length === 0) return done;
      const { prefix } = repository;
      const made = await importVersions(git, { ...source, versions, prefix, tip, noObject: '0'.repeat(await hashLength(git, tip)) });
      const refusal = await moveRef(git, made.commit, tip);
      if (refusal === null) {
        done.commits += made.commits;
        done.events += versions.length;
        continue;
      }
      races += 1;
      // Not a race: nobody moved it.
      if ((await openRef(source.root)).tip === tip) throw new Error(`git cannot write ${historyRef}: ${refusal}`);
    }
    return done;
  };
  return {
    sync(signal) {
      const mine = turn.then(() => sync(signal));
      turn = mine.catch(() => undefined);
      return mine;
    },
    async state() {
      const found = findRepository(source.root);
      if ('reason' in found) return { ...unknownState, reason: found.reason };
      const known = { ...unknownState, vaultInRepository: found.prefix };
      try {
        const { git, tip } = await openRef(source.root);
        const position = tip === null ? null : await readPosition(git, tip);
        const cursor = await cursorOf(source, git, tip);
        const behind = (await versionsAfter(source, cursor, Number.POSITIVE_INFINITY)).length;
        return { ...known, commit: tip, lastEventId: position?.eventId ?? null, behind };
      } catch (error) {
        return { ...known, reason: error instanceof Error ? error.message : String(error) };
      }
    },
  };
};

const unknownState: GitHistoryState = {
  reason: null,
  vaultInRepository: null,
  ref: historyRef,
  commit: null,
  lastEventId: null,
  behind: null,
};

/** The repository and the commit that our ref names now. */
const openRef = async (
  root: string,
): Promise<{ readonly repository: VaultRepository; readonly git: GitCommand; readonly tip: string | null }> => {
  const repository = findRepository(root);
  if ('reason' in repository) throw new Error(repository.reason);
  const git = createGitCommand(repository.gitDirectory);
  const { status, out, err } = await runGit(git, ['rev-parse', '--quiet', '--verify', historyRef]);
  const tip = out.trim();
  if (status === 0 && tip !== '') return { repository, git, tip };
  if (err.trim() !== '') throw new Error(`git cannot read this repository: ${firstLine(err)}`);
  return { repository, git, tip: null };
};

const runGit = async (git: GitCommand, args: readonly string[]) => {
  try {
    return await git.run(args);
  } catch (error) {
    throw new Error(`git cannot be run on this machine: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
};

const readPosition = async (git: GitCommand, tip: string) => {
  const { status, out } = await runGit(git, ['cat-file', 'commit', tip]);
  return status === 0 ? positionOf(out) : null;
};

/** Where in the log the ref stands. Throws when it is not the history of this vault as the log has it. */
const cursorOf = async ({ events, workspaceId }: GitHistorySource, git: GitCommand, tip: string | null): Promise<string | null> => {
  if (tip === null) return null;
  const position = await readPosition(git, tip);
  if (position === null) throw new Error(`${historyRef} was not written by Sheaf; rename or delete it, and it begins anew`);
  if (position.workspaceId !== oneLine(workspaceId))
    throw new Error(`${historyRef} holds the history of another vault, '${position.workspaceId}'; one repository holds that of one vault`);
  const cursor = await events.cursorAfter(position.eventId);
  if (cursor === null)
    throw new Error(
      `${historyRef} ends with the event '${position.eventId}', which this log does not hold; delete the ref, and it begins anew`,
    );
  return cursor;
};

const versionsAfter = async (
  { events, workspaceId }: GitHistorySource,
  cursor: string | null,
  most: number,
): Promise<readonly DocumentVersion[]> => {
  const versions: DocumentVersion[] = [];
  for await (const { event } of events.replay({ workspaceId, ...(cursor === null ? {} : { cursor }) })) {
    const version = documentVersion(event);
    if (version !== null) versions.push(version);
    if (versions.length >= most) break;
  }
  return versions;
};

const hashLength = async (git: GitCommand, tip: string | null): Promise<number> => {
  if (tip !== null) return tip.length;
  const { out } = await runGit(git, ['rev-parse', '--show-object-format']);
  return out.trim() === 'sha256' ? 64 : 40;
};

/** Compare and swap; never through a symbolic ref. Null when it is done, else what git said. */
const moveRef = async (git: GitCommand, commit: string, tip: string | null): Promise<string | null> => {
  const { status, err } = await runGit(git, ['update-ref', '--no-deref', historyRef, commit, tip ?? '']);
  return status === 0 ? null : firstLine(err);
};
