import { dirname, join } from 'node:path';
import type { FileSystem, StoredDocument } from '#adapter-contracts';
import {
  type ChangeStep,
  type DocumentChange,
  guarded,
  pinned,
  placeStep,
  prepareStep,
  type StepTools,
  takeBackStep,
} from './change-step.ts';
import { durableNames } from './durable-names.ts';
import type { Pin } from './linux-pin.ts';
import { storedDocument } from './stored-document.ts';
import { closeTemporary, createTemporaries } from './temporaries.ts';

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

export const createDocumentWriter = (options: DocumentWriterOptions): DocumentWriter => {
  const { fs, root } = options;
  const names = durableNames(fs, root);
  const temporaries = createTemporaries(fs, options.temporaryPath);
  const tools: StepTools = { ...options, names, temporaries };
  const removeEmpty = (directories: Iterable<string>): void => {
    for (const directory of [...directories].sort((a, b) => b.length - a.length)) {
      try {
        pinned(tools, join(root, directory), path => fs.removeDirectory(path));
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
      const steps = changes.map((change, at) => attempt(() => prepareStep(tools, change, twins[at]!, alone)));
      const live = steps.flatMap(step => ('change' in step ? [step] : []));
      temporaries.prepare(live.length);
      await closeTemporaries(fs, live);
      await recorded.catch((reason: unknown) => {
        for (const step of live) step.failure ??= { reason };
      });
      for (const step of live) guarded(step, () => placeStep(tools, step));
      await syncDirectories(fs, live);
      for (const step of live) {
        if (step.failure === null) names.remember(step.above);
        else takeBackStep(tools, step);
      }
      return steps.map(step => ('change' in step ? outcome(removeEmpty, step) : step));
    },
    close: () => temporaries.close(),
  };
};

const attempt = (work: () => ChangeStep): ChangeStep | PromiseRejectedResult => {
  try {
    return work();
  } catch (reason) {
    return { status: 'rejected', reason };
  }
};

const outcome = (removeEmpty: (directories: Iterable<string>) => void, step: ChangeStep): PromiseSettledResult<StoredDocument | null> => {
  const { change, failure } = step;
  const gone = failure === null ? change.bytes === null : step.before === null;
  if (gone) removeEmpty(change.madeDirectories);
  if (failure !== null) return { status: 'rejected', reason: failure.reason };
  return { status: 'fulfilled', value: change.bytes === null ? null : storedDocument(change.bytes) };
};

const closeTemporaries = async (fs: FileSystem, steps: readonly ChangeStep[]): Promise<void> => {
  for (const step of steps) {
    if (step.temporary === null) continue;
    await step.temporary.syncing?.catch((reason: unknown) => {
      step.failure ??= { reason };
    });
    closeTemporary(fs, step.temporary);
  }
};

/** One sync per distinct directory; a failure belongs to every change in it. */
const syncDirectories = async (fs: FileSystem, steps: readonly ChangeStep[]): Promise<void> => {
  const renamed = steps.filter(step => step.renamed);
  const stepsByDirectory = new Map<string, ChangeStep[]>();
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
