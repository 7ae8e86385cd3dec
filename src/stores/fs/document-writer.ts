import { basename, dirname, join } from 'node:path';
import type { Expected, FileSystem, StoredDocument } from '#adapter-contracts';
import { reasonOf, VaultError } from '#errors';
import { type DurableNames, durableNames, type FoundDirectory } from './durable-names.ts';
import type { Pin } from './linux-pin.ts';
import { type InspectedPath, inspectPath, parentLinkRefusal } from './safe-path.ts';
import { readInspected, storedDocument } from './stored-document.ts';
import { createTemporaries, type Temporaries, type Temporary } from './temporaries.ts';
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

/** Applies changes to documents; the caller holds their commit locks. */
export interface DocumentWriter {
  /**
   * Durable when it resolves. Each change succeeds or fails by itself; null = removed. No document and no directory is touched before `recorded`
   * resolves, and none when it rejects; what can be prepared until then is.
   */
  apply(changes: readonly DocumentChange[], recorded?: Promise<void>): Promise<readonly PromiseSettledResult<StoredDocument | null>[]>;
  /** Removes directories that are empty, innermost first. */
  removeEmpty(directories: Iterable<string>): void;
  close(): Promise<void>;
}

export interface DocumentWriterOptions {
  readonly fs: FileSystem;
  readonly root: string;
  /** A name in the reserved area, on the documents' file system, that no other writer uses. */
  readonly temporaryPath: () => string;
  /** See `Vfs.findTwin`. */
  findTwin(path: string): Promise<string | null>;
  readonly pin?: Pin | null;
}

/** Calls `use` with the path of an entry of the vault, by which no link that was put above it since the look is followed. */
const pinned = <T>({ pin }: DocumentWriterOptions, full: string, use: (path: string) => T): T =>
  pin === undefined || pin === null ? use(full) : pin(dirname(full), directory => use(join(directory, basename(full))));

/** A change on its way: what was there, and what is ready to take its place. */
interface Step {
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

export const createDocumentWriter = (options: DocumentWriterOptions): DocumentWriter => {
  const { fs, root } = options;
  const names = durableNames(fs, root);
  const temporaries = createTemporaries(fs, options.temporaryPath);
  const tools: WriterTools = { ...options, names, temporaries };
  const removeEmpty = (directories: Iterable<string>): void => {
    for (const directory of [...directories].sort((a, b) => b.length - a.length)) {
      try {
        pinned(options, join(root, directory), path => fs.removeDirectory(path));
        fs.syncDirectorySync(dirname(join(root, directory)));
      } catch {
        // In use by now, or gone: both are fine, an empty directory is nobody's data.
      }
    }
  };
  return {
    removeEmpty,
    async apply(changes, recorded = Promise.resolve()) {
      // Asked under the lock: the answer of stage 3 may have changed since.
      const twins = await Promise.allSettled(changes.map(async change => (change.creates ? options.findTwin(change.path) : null)));
      const alone = changes.length === 1;
      const steps = changes.map((change, at) => attempt(() => prepare(tools, change, twins[at]!, alone)));
      const live = steps.flatMap(step => ('change' in step ? [step] : []));
      temporaries.prepare(live.length);
      await closeTemporaries(fs, live);
      await recorded.catch((reason: unknown) => {
        for (const step of live) step.failure ??= { reason };
      });
      for (const step of live) guarded(step, () => place(tools, step));
      await syncDirectories(fs, live);
      for (const step of live) {
        if (step.failure === null) names.remember(step.above);
        else takeBack(tools, step);
      }
      return steps.map(step => ('change' in step ? outcome(removeEmpty, step) : step));
    },
    close: () => temporaries.close(),
  };
};

interface WriterTools extends DocumentWriterOptions {
  readonly names: DurableNames;
  readonly temporaries: Temporaries;
}

const attempt = (work: () => Step): Step | PromiseRejectedResult => {
  try {
    return work();
  } catch (reason) {
    return { status: 'rejected', reason };
  }
};

const guarded = (step: Step, work: () => void): void => {
  if (step.failure !== null) return;
  try {
    work();
  } catch (reason) {
    step.failure = { reason: isFileError(reason, 'ELOOP') ? parentLinkRefusal(step.change.path) : reason };
  }
};

const outcome = (removeEmpty: (directories: Iterable<string>) => void, step: Step): PromiseSettledResult<StoredDocument | null> => {
  const { change, failure } = step;
  const gone = failure === null ? change.bytes === null : step.before === null;
  if (gone) removeEmpty(change.madeDirectories);
  if (failure !== null) return { status: 'rejected', reason: failure.reason };
  return { status: 'fulfilled', value: change.bytes === null ? null : storedDocument(change.bytes) };
};

/** Compares with what is stored and, for a write, puts the new bytes beside it under a temporary name. */
const prepare = (options: WriterTools, change: DocumentChange, twin: PromiseSettledResult<string | null>, alone: boolean): Step => {
  const { fs, root } = options;
  const at = inspectPath(fs, root, change.path);
  if (twin.status === 'rejected') throw twin.reason;
  if (twin.value !== null) throw twinRefusal(change.path, twin.value);
  const before = readInspected(fs, at, change.path);
  checkExpected(change, before);
  const directories = new Set([at.directory]);
  const step: Step = { change, at, before, temporary: null, directories, above: [], failure: null, renamed: false };
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

const makeParents = (options: DocumentWriterOptions, { change, at, directories }: Step): void => {
  const { fs, root } = options;
  for (const directory of at.missing) {
    const full = join(root, directory);
    if (pinned(options, full, path => makeDirectoryOnce(fs, path))) change.madeDirectories.add(directory);
    // The new name stands in its parent; whoever made it, it must be durable before the document counts.
    directories.add(dirname(full));
  }
};

const writeTemporary = ({ fs, temporaries }: WriterTools, step: Step, bytes: Uint8Array, mode: number | null): void => {
  step.temporary = temporaries.take();
  fs.write(step.temporary.fd!, 0, bytes);
  if (mode !== null) fs.chmod(step.temporary.fd!, mode & 0o7777);
};

/**
 * File contents before their names: a renamed file must never be found empty after a power cut. One file: synchronous is faster; more: the disk
 * works on each while the next is written.
 */
const syncTemporary = (fs: FileSystem, temporary: Temporary, alone: boolean): void => {
  if (alone) {
    fs.fsyncSync(temporary.fd!);
    return;
  }
  temporary.syncing = fs.fsync(temporary.fd!);
  // Heard of when all are awaited.
  temporary.syncing.catch(() => undefined);
};

const closeTemporaries = async (fs: FileSystem, steps: readonly Step[]): Promise<void> => {
  for (const step of steps) {
    if (step.temporary === null) continue;
    await step.temporary.syncing?.catch((reason: unknown) => {
      step.failure ??= { reason };
    });
    closeTemporary(fs, step.temporary);
  }
};

const closeTemporary = (fs: FileSystem, temporary: Temporary): void => {
  const { fd } = temporary;
  temporary.fd = null;
  if (fd !== null) fs.close(fd);
};

/** Gives the new bytes the document's name, or takes the name away. */
const place = (options: WriterTools, step: Step): void => {
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

const unlinkDocument = (options: DocumentWriterOptions, { at, change }: Step): void => {
  try {
    pinned(options, at.full, path => options.fs.unlink(path));
  } catch (error) {
    // Removed outside Sheaf since it was compared.
    throw isFileError(error, 'ENOENT') ? conflict(change.path, 'removed', 'it is gone') : error;
  }
};

const renameInto = (options: DocumentWriterOptions, step: Step, from: string): void => {
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

/** One sync per distinct directory; a failure belongs to every change in it. */
const syncDirectories = async (fs: FileSystem, steps: readonly Step[]): Promise<void> => {
  const renamed = steps.filter(step => step.renamed);
  const stepsByDirectory = new Map<string, Step[]>();
  for (const step of renamed) {
    for (const directory of step.directories) stepsByDirectory.set(directory, [...(stepsByDirectory.get(directory) ?? []), step]);
  }
  const together = renamed.length > 1;
  await Promise.all(
    [...stepsByDirectory].map(async ([directory, users]) => {
      try {
        if (together) await fs.syncDirectory(directory);
        else fs.syncDirectorySync(directory);
      } catch (reason) {
        for (const step of users) step.failure ??= { reason };
      }
    }),
  );
};

/** Undoes a change that failed half way: the contract knows only whole or absent. */
const takeBack = (options: WriterTools, step: Step): void => {
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
