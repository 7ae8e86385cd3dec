import { basename, dirname, join } from 'node:path';
import type { Expected, FileSystem } from '#adapter-contracts';
import { reasonOf, VaultError } from '#errors';
import type { DurableNames, FoundDirectory } from './durable-names.ts';
import type { Pin } from './linux-pin.ts';
import { type InspectedPath, inspectPath, parentLinkRefusal } from './safe-path.ts';
import { readInspected, storedDocument } from './stored-document.ts';
import { closeTemporary, syncTemporary, type Temporaries, type Temporary } from './temporaries.ts';
import { isFileError, makeDirectoryOnce, vaultRelative } from './vault-layout.ts';

/** One change of one document. */
export interface DocumentChange {
  readonly path: string;
  /** null removes. */
  readonly bytes: Uint8Array | null;
  /** null: whatever is stored now is replaced; for recovery, which looked under the lock. */
  readonly expected: Expected | null;
  /** Refused when another document is a case twin of this one. */
  readonly creates: boolean;
  /** Vault-relative directories made by the commit this change belongs to; those left empty by its removal go too. */
  readonly madeDirectories: Set<string>;
}

/** A change that failed and could not be taken back: what the disk holds is open, and recovery must decide. */
export class ChangeFailedError extends Error {
  override readonly name = 'ChangeFailedError';
}

/** A change on its way: what was there, and what is ready to take its place. */
export interface ChangeStep {
  readonly change: DocumentChange;
  readonly at: InspectedPath;
  readonly before: Uint8Array | null;
  temporary: Temporary | null;
  /** Absolute; what must be synced before the change counts. */
  readonly directories: Set<string>;
  above: readonly FoundDirectory[];
  failure: { readonly reason: unknown } | null;
  renamed: boolean;
}

/** What every step works with. */
export interface StepTools {
  readonly fs: FileSystem;
  readonly root: string;
  readonly pin?: Pin | null;
  readonly names: DurableNames;
  readonly temporaries: Temporaries;
}

/** Calls `use` with the path of an entry of the vault, by which no link that was put above it since the look is followed. */
export const pinned = <T>({ pin }: StepTools, full: string, use: (path: string) => T): T =>
  pin === undefined || pin === null ? use(full) : pin(dirname(full), directory => use(join(directory, basename(full))));

/** Runs a part of a step that has not failed; its failure belongs to the step. */
export const guarded = (step: ChangeStep, work: () => void): void => {
  if (step.failure !== null) return;
  try {
    work();
  } catch (reason) {
    step.failure = { reason: isFileError(reason, 'ELOOP') ? parentLinkRefusal(step.change.path) : reason };
  }
};

/** Compares with what is stored and, for a write, puts the new bytes beside it under a temporary name. */
export const prepareStep = (
  options: StepTools,
  change: DocumentChange,
  twin: PromiseSettledResult<string | null>,
  alone: boolean,
): ChangeStep => {
  const { fs, root } = options;
  const at = inspectPath(fs, root, change.path);
  if (twin.status === 'rejected') throw twin.reason;
  if (twin.value !== null) throw twinRefusal(change.path, twin.value);
  const before = readInspected(fs, at, change.path);
  checkExpected(change, before);
  const directories = new Set([at.directory]);
  const step: ChangeStep = { change, at, before, temporary: null, directories, above: [], failure: null, renamed: false };
  if (change.bytes === null) return step;
  guarded(step, () => {
    writeTemporary(options, step, change.bytes!, at.target?.mode ?? null);
    syncTemporary(fs, step.temporary!, alone);
  });
  return step;
};

const twinRefusal = (path: string, twin: string): VaultError<'invalid_request'> => {
  const issue = `it differs only by letter case or Unicode form from '${twin}', which exists; on many systems both would be one file`;
  return new VaultError('invalid_request', { issues: [{ field: 'path', issue }] }, `The path '${path}' is refused: ${issue}.`);
};

const checkExpected = ({ path, bytes, expected }: DocumentChange, before: Uint8Array | null): void => {
  if (expected === null) return;
  const matches = 'ifAbsent' in expected ? before === null : before !== null && storedDocument(before).version === expected.version;
  if (matches) return;
  const found = before === null ? 'it is gone' : 'ifAbsent' in expected ? 'it exists already' : 'it holds other bytes';
  throw conflict(path, bytes === null ? 'removed' : 'written', found);
};

const conflict = (path: string, verb: 'removed' | 'written', found: string): VaultError<'version_conflict'> =>
  new VaultError('version_conflict', { path }, `'${path}' was not ${verb}: ${found} by now. Read it again and retry.`);

const makeParents = (options: StepTools, { change, at, directories }: ChangeStep): void => {
  const { fs, root } = options;
  for (const directory of at.missing) {
    const full = join(root, directory);
    if (pinned(options, full, path => makeDirectoryOnce(fs, path))) change.madeDirectories.add(directory);
    // The new name stands in its parent; whoever made it, it must be durable before the document counts.
    directories.add(dirname(full));
  }
};

const writeTemporary = ({ fs, temporaries }: StepTools, step: ChangeStep, bytes: Uint8Array, mode: number | null): void => {
  step.temporary = temporaries.take();
  fs.write(step.temporary.fd!, 0, bytes);
  if (mode !== null) fs.chmod(step.temporary.fd!, mode & 0o7777);
};

/** Gives the new bytes the document's name, or takes the name away. */
export const placeStep = (options: StepTools, step: ChangeStep): void => {
  if (step.temporary === null) {
    unlinkDocument(options, step);
  } else {
    makeParents(options, step);
    // Where a document stood, the names above it were durable before it counted.
    if (step.before === null) step.above = options.names.unknownAbove(step.change.path);
    for (const { parent } of step.above) step.directories.add(parent);
    renameInto(options, step, step.temporary.path);
    step.temporary = null;
  }
  step.renamed = true;
};

const unlinkDocument = (options: StepTools, { at, change }: ChangeStep): void => {
  try {
    pinned(options, at.full, path => options.fs.unlink(path));
  } catch (error) {
    // Removed outside Sheaf since it was compared.
    throw isFileError(error, 'ENOENT') ? conflict(change.path, 'removed', 'it is gone') : error;
  }
};

const renameInto = (options: StepTools, step: ChangeStep, from: string): void => {
  const rename = (): void => pinned(options, step.at.full, path => options.fs.rename(from, path));
  try {
    rename();
  } catch (error) {
    if (!isFileError(error, 'ENOENT')) throw error;
    // Another commit that was taken back removed the directory as empty: make it again.
    makeParents(options, { ...step, at: inspectPath(options.fs, options.root, step.change.path) });
    rename();
  }
};

/** Undoes a change that failed half way: the contract knows only whole or absent. */
export const takeBackStep = (options: StepTools, step: ChangeStep): void => {
  const { fs, root } = options;
  if (step.temporary !== null) {
    try {
      fs.unlink(step.temporary.path);
    } catch {
      // Swept when a later writer takes over this writer's journal.
    }
    step.temporary = null;
  }
  if (!step.renamed) return;
  try {
    if (step.before === null) pinned(options, step.at.full, path => fs.unlink(path));
    else {
      writeTemporary(options, step, step.before, step.at.target?.mode ?? null);
      const { path, fd } = step.temporary!;
      fs.fsyncSync(fd!);
      closeTemporary(fs, step.temporary!);
      pinned(options, step.at.full, to => fs.rename(path, to));
    }
    fs.syncDirectorySync(step.at.directory);
  } catch (cause) {
    const reason = reasonOf(step.failure?.reason);
    const message = `'${vaultRelative(root, step.at.full)}' could not be made durable (${reason}), nor taken back; recovery will decide.`;
    step.failure = { reason: new ChangeFailedError(message, { cause }) };
  }
};
