import { type ParsedFile, parseDocument } from '#document';
import { VaultError } from '#errors';
import { type DocumentVersion, readVersions, type VersionHistory } from '#projections';
import { traceFields } from './blame-fields.ts';
import { traceLines } from './blame-lines.ts';
import { findText, type HistorySource, storedVersion, versionAfter } from './past-version.ts';
import { findEvent } from './read-history.ts';
import type { BlamedField, BlamedLines, DocumentBlame, PastVersion } from './vault-history.ts';

type Origin = Pick<BlamedLines, 'origin' | 'event_id'>;

/** Something that goes back through the versions; lines and fields do it together, so that each content is read once. */
interface Tracer {
  open(): boolean;
  back(earlier: string, origin: Origin): void;
  end(origin: Origin): void;
}

/** Which event set what; see `VaultHistory.blame`. Walks the versions from the newest back until every part has its origin. */
export const blameDocument = async (source: HistorySource, path: string, at?: string): Promise<DocumentBlame> => {
  if (at !== undefined) await findEvent(source, at);
  const history = await readVersions(source, path, at === undefined ? {} : { upTo: at });
  if (history === null) throw new VaultError('not_found', { path: at ?? path }, `The log holds no event '${at}'.`);
  const last = history.versions.at(-1);
  const blamed = at === undefined ? await storedVersion(source, path) : last === undefined ? null : await versionAfter(source, last);
  const { content, hash } = wholeVersion(path, blamed, at);
  const parsed = parseDocument(content);
  const lines = traceLines<Origin>(content);
  const fields = traceFields<Origin>(parsed);
  const note = await walkBack(source, path, history, hash, [lines, fields]);
  const origins = lines.origins();
  const blamedFields = fieldsOf(parsed, fields.origins());
  const body = bodyOf(parsed, origins);
  const named = new Set([...blamedFields, ...body].map(({ event_id }) => event_id));
  return {
    path,
    hash,
    content,
    type: last?.primitiveId ?? null,
    fields: blamedFields,
    body,
    events: history.versions
      .filter(({ event }) => named.has(event.event_id))
      .map(eventRow)
      .reverse(),
    complete: ![...blamedFields, ...body].some(({ origin }) => origin === 'unknown'),
    note,
  };
};

const wholeVersion = (path: string, version: PastVersion | null, at: string | undefined): { content: string; hash: string } => {
  if (version?.content !== null && version?.content !== undefined && version.hash !== null)
    return { content: version.content, hash: version.hash };
  const when = at === undefined ? '' : ` after the event '${at}'`;
  throw new VaultError(
    'not_found',
    { path },
    version?.missing === undefined ? `No document at '${path}'${when}.` : `'${path}'${when}: ${version.missing}.`,
  );
};

/** Gives every part its origin; the note says why some have none. */
const walkBack = async (
  source: HistorySource,
  path: string,
  { versions, earlier }: VersionHistory,
  start: string,
  tracers: readonly Tracer[],
): Promise<string | null> => {
  const open = (): boolean => tracers.some(tracer => tracer.open());
  const end = (origin: Origin): void => {
    for (const tracer of tracers) tracer.end(origin);
  };
  let reached = start;
  let later: string | null = null;
  const unknown = (note: string): string => {
    end({ origin: 'unknown', event_id: later });
    return note;
  };
  /** Goes on to an earlier content; says why when it is missing. */
  const back = async (hash: string, origin: Origin): Promise<string | null> => {
    if (hash === reached) return null;
    const found = await findText(source, hash, path);
    if ('missing' in found) return found.missing;
    for (const tracer of tracers) tracer.back(found.text, origin);
    reached = hash;
    return null;
  };
  for (const { event, before, after } of versions.toReversed()) {
    if (!open()) return null;
    // What lies between two events was made by hand and never accepted; after a deletion everything that came back was.
    if (after === null) {
      end({ origin: 'unrecorded', event_id: later });
      return null;
    }
    const between = await back(after, { origin: 'unrecorded', event_id: later });
    if (between !== null) return unknown(`Unknown before ${later === null ? 'the stored file' : `event ${later}`}: ${between}.`);
    const own: Origin = { origin: 'event', event_id: event.event_id };
    later = event.event_id;
    if (before === null) {
      end(own);
      return null;
    }
    const missing = await back(before, own);
    if (missing !== null) return unknown(`Unknown before event ${event.event_id}: ${missing}.`);
  }
  if (!open()) return null;
  if (earlier > 0)
    return unknown(`Unknown before event ${later}: only the last ${versions.length} versions are looked at, ${earlier} are older.`);
  // The oldest event found a file that had come into the vault without one.
  end({ origin: 'unrecorded', event_id: later });
  return null;
};

const fieldsOf = (parsed: ParsedFile, origins: ReadonlyMap<string, Origin>): readonly BlamedField[] => {
  if (parsed.kind !== 'document') return [];
  const { document } = parsed;
  return document.layout.entries.map(({ key, start, end }) => {
    const first = document.lineOf(key) ?? 1;
    const value = document.text.slice(start, end);
    const length = value.split('\n').length - (value.endsWith('\n') ? 1 : 0);
    return { key, first_line: first, last_line: first + Math.max(length, 1) - 1, ...origins.get(key)! };
  });
};

const bodyOf = (parsed: ParsedFile, origins: readonly Origin[]): readonly BlamedLines[] => {
  const runs: { first_line: number; last_line: number; origin: Origin['origin']; event_id: string | null }[] = [];
  for (let line = parsed.kind === 'document' ? parsed.document.bodyLine : 1; line <= origins.length; line += 1) {
    const { origin, event_id } = origins[line - 1]!;
    const run = runs.at(-1);
    if (run?.origin === origin && run.event_id === event_id) run.last_line = line;
    else runs.push({ first_line: line, last_line: line, origin, event_id });
  }
  return runs;
};

const eventRow = ({ event, action }: DocumentVersion) => {
  const { id } = (event.principal ?? {}) as { readonly id?: unknown };
  return { event_id: event.event_id, timestamp: event.timestamp, principal_id: typeof id === 'string' ? id : '', action };
};
