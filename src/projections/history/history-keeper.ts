import type { EventStore, ProjectionCoordinator, Vfs } from '#adapter-contracts';
import type { HistoryLimit } from './collect-contents.ts';
import type { ContentStore } from './content-store.ts';
import { createGitHistory, createGitSchedule, type GitHistoryState } from './git/index.ts';
import { keepingContents } from './keep-contents.ts';

/** The history in git of one vault, as far as somebody switched it on. */
export interface GitHistoryControl {
  enabled(): boolean;
  /** Written down in the vault's configuration; what is in git already stays. */
  enable(on: boolean): Promise<void>;
  state(): Promise<GitHistoryState>;
  /** Commits what the log holds and git does not. Throws an Error that says why it cannot. */
  sync(signal?: AbortSignal): Promise<{ readonly commits: number; readonly events: number }>;
}

/** Everything that keeps the past of an open vault (§8). */
export interface HistoryKeeper {
  readonly contents: ContentStore;
  readonly limit: HistoryLimit;
  /** Null for a vault without a directory. */
  readonly git: GitHistoryControl | null;
  /** Puts the keeping before another coordinator, so that stage 12 hands the contents over. */
  around(inner: ProjectionCoordinator): ProjectionCoordinator;
  problems(): readonly string[];
  /** Stops what reads the log; before the stores close. */
  stop(): Promise<void>;
}

interface KeeperParts {
  readonly contents: ContentStore;
  readonly vfs: Vfs;
  readonly events: EventStore;
  readonly workspaceId: string;
  /** As `workspace.json` has it; absent = everything is kept. Not `enabled`: nothing is kept, and what is there can still be read. */
  readonly settings:
    | { readonly enabled?: boolean | undefined; readonly max_bytes?: number | undefined; readonly max_age_days?: number | undefined }
    | undefined;
  readonly git: { readonly root: string; readonly enabled: boolean; readonly save: (on: boolean) => Promise<void> } | null;
}

export const createHistoryKeeper = (parts: KeeperParts): HistoryKeeper => {
  const { contents, vfs, git: settings } = parts;
  const { enabled: keep = true, max_bytes: maxBytes, max_age_days: maxAgeDays } = parts.settings ?? {};
  const find = async (hash: string, path: string): Promise<Uint8Array | null> => {
    const kept = await contents.find(hash);
    if (kept !== null) return kept;
    const stored = await vfs.read(path).catch(() => null);
    return stored?.hash === hash ? stored.bytes : null;
  };
  const git = settings === null ? null : createGitHistory({ ...parts, root: settings.root, find });
  const schedule = git === null ? null : createGitSchedule(git);
  let enabled = settings?.enabled === true;
  const poke = (): void => {
    if (enabled) schedule?.poke();
  };
  return {
    contents,
    limit: { ...(maxBytes === undefined ? {} : { maxBytes }), ...(maxAgeDays === undefined ? {} : { maxAgeDays }) },
    git:
      git === null || settings === null
        ? null
        : {
            ...git,
            enabled: () => enabled,
            async enable(on) {
              await settings.save(on);
              enabled = on;
              poke();
            },
          },
    around: inner => keepingContents(inner, { contents: keep ? contents : null, vfs, onEvent: poke }),
    problems: () => [...contents.problems(), ...(schedule?.problem() ? [schedule.problem() ?? ''] : [])],
    stop: async () => schedule?.close(),
  };
};
