import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { type Clock, systemClock } from '#adapter-contracts';
import { reasonOf } from '#errors';
import { makeDirectories, writeFileDurably } from '#identity';
import { realRoot } from './load-workspace.ts';
import { vaultFiles } from './vault-files.ts';
import { WorkspaceError } from './workspace-error.ts';
import { parseWorkspaceFile, printWorkspaceFile, specVersion, type WorkspaceFile } from './workspace-file.ts';

interface InitOptions {
  readonly root: string;
  /** Default: the directory's name. */
  readonly workspaceId?: string;
  /** Also make a git repository, unless there is one. */
  readonly git?: boolean;
}

/** What git must not carry: coordination of live processes, and what can be rebuilt. */
export const ignoredByGit = ['/.ssss/coordination/', '/.ssss/derived/', '/.ssss/history/', '/.ssss-intents/'];

/** Makes a vault at `root` and says where it is. Throws `WorkspaceError('vault_exists')` rather than touch an existing one. */
export const initVault = async (
  options: InitOptions & { readonly clock?: Clock },
): Promise<{ readonly root: string; readonly workspaceId: string }> => {
  const { clock = systemClock, ...layout } = options;
  const { root, file } = initWorkspace({ ...layout, now: clock.now() });
  return { root, workspaceId: file.workspace_id };
};

/**
 * Makes a vault: `.ssss/workspace.json`, its directories and `.gitignore`. Other files may stand there already and stay as they are. Throws
 * `WorkspaceError('vault_exists')` rather than touch an existing vault, or the log of one that lost its `workspace.json`.
 */
export const initWorkspace = (options: InitOptions & { readonly now: Date }): { readonly root: string; readonly file: WorkspaceFile } => {
  const directory = resolve(options.root);
  refuseExisting(directory);
  makeDirectories(directory);
  const root = realRoot(directory);
  if (options.git === true) makeRepository(root);
  const file: WorkspaceFile = {
    workspace_id: options.workspaceId ?? defaultWorkspaceId(root),
    spec_version: specVersion,
    created_at: options.now.toISOString(),
    extensions: [],
  };
  // Before anything is written: a vault must not be made that could not be opened.
  parseWorkspaceFile(printWorkspaceFile(file));
  for (const below of [vaultFiles.extensions, vaultFiles.events]) makeDirectories(join(root, below));
  ignoreInGit(root);
  // Last, because it is what makes the directory a vault.
  writeFileDurably(join(root, vaultFiles.workspace), printWorkspaceFile(file), 0o644);
  return { root, file };
};

const refuseExisting = (root: string): void => {
  if (existsSync(join(root, vaultFiles.workspace))) throw new WorkspaceError('vault_exists', root, 'is a vault already');
  const events = join(root, vaultFiles.events);
  if (existsSync(events) && readdirSync(events).length > 0) {
    throw new WorkspaceError(
      'vault_exists',
      root,
      `holds an event log but no ${vaultFiles.workspace}: restore that file instead of starting anew`,
    );
  }
};

/** The directory's name as an id; ids are opaque, but a plain one is easier to type. */
const defaultWorkspaceId = (root: string): string => {
  const name = basename(root)
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return name === '' ? 'vault' : name.slice(0, 64);
};

const ignoreInGit = (root: string): void => {
  const file = join(root, '.gitignore');
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const present = new Set(before.split(/\r?\n/).map(line => line.replace(/^\//, '').replace(/\/$/, '')));
  const missing = ignoredByGit.filter(line => !present.has(line.slice(1, -1)));
  if (missing.length === 0) return;
  const gap = before === '' || before.endsWith('\n') ? '' : '\n';
  writeFileSync(file, `${before}${gap}${missing.join('\n')}\n`);
};

const makeRepository = (root: string): void => {
  if (existsSync(join(root, '.git'))) return;
  try {
    // No templates: hooks of this machine have no place in a vault.
    execFileSync('git', ['-c', 'core.hooksPath=/dev/null', 'init', '--quiet', '--template=', root], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  } catch (error) {
    throw new WorkspaceError('git_failed', root, reasonOf(error).trim(), { cause: error });
  }
  // Line-end conversion would make every document differ from what the log recorded.
  if (!existsSync(join(root, '.gitattributes'))) writeFileSync(join(root, '.gitattributes'), '* -text\n');
};
