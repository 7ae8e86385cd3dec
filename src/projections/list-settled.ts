import type { VfsEntry } from '#adapter-contracts';
import { stillMissing } from './read-settled.ts';
import type { ScanSource } from './scan-vault.ts';

interface ListOptions {
  readonly prefix?: string;
  /** Only what comes behind this path is waited for. */
  readonly after?: string;
}

/** How long one listing waits altogether for documents that are away. */
const patienceMs = 240;

/**
 * As `Vfs.list`, with the documents that an editor had just taken away to write them anew: those that the log knows are looked for once more before
 * they count as missing.
 */
export async function* listSettled(source: ScanSource, { prefix, after }: ListOptions = {}): AsyncGenerator<VfsEntry> {
  const recorded = recordedPaths(source, prefix, after);
  const end = performance.now() + patienceMs;
  const returned = async function* (paths: readonly string[]): AsyncGenerator<VfsEntry> {
    if (paths.length === 0) return;
    const missing = new Set(await stillMissing(source, paths, Math.max(0, end - performance.now())));
    for (const path of paths) if (!missing.has(path)) yield { path, kind: 'file' };
  };
  try {
    // Files first: a vault that is gone says so itself.
    let next: IteratorResult<string> | null = null;
    for await (const entry of source.vfs.list(prefix)) {
      next ??= await recorded.next();
      const passed: string[] = [];
      for (; next.done !== true && next.value < entry.path; next = await recorded.next()) passed.push(next.value);
      yield* returned(passed);
      yield entry;
      if (next.done !== true && next.value === entry.path) next = await recorded.next();
    }
    const rest: string[] = [];
    next ??= await recorded.next();
    for (; next.done !== true; next = await recorded.next()) rest.push(next.value);
    yield* returned(rest);
  } finally {
    await recorded.return(undefined);
  }
}

/** Documents that the log knows and did not see deleted, in the order of their paths. */
async function* recordedPaths({ events, workspaceId }: ScanSource, prefix = '', after = ''): AsyncGenerator<string> {
  const start = prefix.replace(/\/+$/, '');
  const below = `${start}/`;
  const from = after > start ? after : start;
  for await (const { path, hash } of events.lastRecordedAll(workspaceId, { after: from })) {
    if (start !== '' && path > below && !path.startsWith(below)) return;
    const wanted = path > from && (start === '' || path.startsWith(below));
    // Stores may sort such characters in another order than file listings do; nothing may come twice.
    if (wanted && hash !== null && !/[\ud800-\uffff]/.test(path)) yield path;
  }
}
