import type { VfsEntry } from '#adapter-contracts';
import { checkPath, decodeUtf8, foldPath, isIndexPath, type ParsedFile, parseDocument } from '#document';
import { type FieldIssue, reasonOf } from '#errors';
import { createFileCounter, readStored, type ScannedFile, type ScanSource, scanFile } from '#projections';
import type { Registry } from '#registry';
import { checkIndexContent, lintDocument, type ReferencedSnapshot, referencedPaths, snapshotOf, validateDocument } from '#validation';
import { isSelected } from './path-selection.ts';
import type { CheckReport, CheckRow } from './vault.ts';

/**
 * Validates files of a vault (§9): every problem with its place, what the standard recommends as warnings, damage of the log, and an account in
 * which every file found appears once. Whatever is on the disk becomes a row; nothing makes it throw.
 */
export const checkVault = async (source: ScanSource, registry: Registry, paths: readonly string[] | null): Promise<CheckReport> => {
  const problems: CheckRow[] = [];
  const warnings: CheckRow[] = [];
  const counter = createFileCounter();
  const entries: VfsEntry[] = [];
  for await (const entry of source.vfs.list()) entries.push(entry);
  const names = new Set(entries.map(entry => entry.path));
  const judge = createFileJudge(source, registry);
  for (const entry of entries.filter(({ path }) => paths === null || isSelected(path, paths))) {
    const scanned = await scanFile(source, entry);
    if (scanned.kind === 'reported') {
      counter.report(scanned.report);
      reportFile(scanned, problems, warnings);
      continue;
    }
    if (scanned.parsed.kind === 'document') counter.document();
    else if (scanned.parsed.kind === 'ordinary') counter.ordinary();
    else counter.report({ path: entry.path, kind: 'invalid', reason: scanned.parsed.issues[0]?.issue ?? 'the frontmatter is refused' });
    const verdict = await judge(entry.path, scanned.parsed);
    const lint = lintDocument({ path: entry.path, parsed: scanned.parsed, registry, exists: path => names.has(path) });
    for (const row of rows(entry.path, verdict.errors)) problems.push(row);
    for (const row of rows(entry.path, [...verdict.warnings, ...lint])) warnings.push(row);
  }
  for (const row of twinRows(entries.map(entry => entry.path).filter(path => paths === null || isSelected(path, paths))))
    warnings.push(row);
  for (const row of missingRows(paths, names)) problems.push(row);
  const damage = await logDamage(source);
  return { valid: problems.length + damage.length === 0, problems, warnings, log_damage: damage, files: counter.account() };
};

const rows = (path: string, issues: readonly FieldIssue[]): readonly CheckRow[] => issues.map(issue => ({ path, ...issue }));

/** Conflict markers and unreadable text are damage of a document; the rest is a file that needs a person but harms nothing. */
const reportFile = ({ report }: ScannedFile & { kind: 'reported' }, problems: CheckRow[], warnings: CheckRow[]): void => {
  if (report.kind === 'temporary' || report.kind === 'not_markdown') return;
  const row = { path: report.path, field: 'path', issue: report.reason, ...(report.line === undefined ? {} : { line: report.line }) };
  (report.kind === 'conflict_marker' || report.kind === 'invalid' ? problems : warnings).push(row);
};

interface Judgement {
  readonly errors: readonly FieldIssue[];
  readonly warnings: readonly FieldIssue[];
}

/** Judges files one by one (§9), reading each referenced document once. */
export const createFileJudge = (source: ScanSource, registry: Registry): ((path: string, parsed: ParsedFile) => Promise<Judgement>) => {
  const lookup = createSnapshotLookup(source, registry);
  return async (path, parsed) => {
    if (isIndexPath(path))
      return { errors: checkIndexContent(parsed.kind === 'document' ? parsed.document.text : parsed.text), warnings: [] };
    // A README is no document and owes the standard nothing.
    if (parsed.kind === 'ordinary') return { errors: [], warnings: [] };
    return validateDocument(parsed, registry, await lookup(parsed));
  };
};

type SnapshotLookup = (parsed: ParsedFile) => Promise<(path: string) => ReferencedSnapshot | null>;

/** Reads each referenced document once, however many documents refer to it. */
const createSnapshotLookup = (source: ScanSource, registry: Registry): SnapshotLookup => {
  const snapshots = new Map<string, ReferencedSnapshot | null>();
  return async parsed => {
    for (const path of referencedPaths(parsed, registry)) {
      if (!snapshots.has(path)) snapshots.set(path, await readSnapshot(source, registry, path));
    }
    return path => snapshots.get(path) ?? null;
  };
};

const readSnapshot = async (source: ScanSource, registry: Registry, path: string): Promise<ReferencedSnapshot | null> => {
  if (checkPath(path) !== null) return null;
  const stored = await readStored(source.vfs, path);
  if ('reason' in stored) return null;
  try {
    return snapshotOf(parseDocument(decodeUtf8(stored.bytes)), stored.hash, registry);
  } catch {
    // The target is reported on its own; for the reference it is a file without a type.
    return snapshotOf({ kind: 'ordinary', text: '', reason: 'not UTF-8' }, stored.hash, registry);
  }
};

/** Paths that one operating system tells apart and another does not. */
const twinRows = (paths: readonly string[]): readonly CheckRow[] => {
  const firstByFold = new Map<string, string>();
  return paths.flatMap(path => {
    const first = firstByFold.get(foldPath(path));
    if (first === undefined) firstByFold.set(foldPath(path), path);
    const issue = `differs from '${first}' only by letter case or Unicode form: the vault will not open everywhere; rename one`;
    return first === undefined ? [] : [{ path, field: 'path', issue }];
  });
};

const missingRows = (paths: readonly string[] | null, names: ReadonlySet<string>): readonly CheckRow[] =>
  (paths ?? [])
    .filter(chosen => ![...names].some(name => isSelected(name, [chosen])))
    .map(path => ({ path, field: 'path', issue: 'no such file or directory in the vault' }));

const logDamage = async (source: ScanSource): Promise<CheckReport['log_damage']> => {
  try {
    return (await source.events.damage()).map(({ file, offset, length, reason }) => ({ file, offset, length, reason }));
  } catch (error) {
    return [
      {
        file: '.ssss/events',
        offset: 0,
        length: 0,
        reason: `the log cannot be read: ${reasonOf(error)}`,
      },
    ];
  }
};
