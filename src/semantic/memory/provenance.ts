import { type AppendRecord, checkPath, encodeAddress, extractLinks, parseRecords } from '#document';
import { invalidMember } from '#errors';

/** What a primitive did for a record (§11.4). */
const provenanceRoles = ['assistant', 'model', 'skill', 'memory', 'rule', 'workflow'] as const;
export type ProvenanceRole = (typeof provenanceRoles)[number];

/** A primitive that was in play when a record was made. */
export interface ProvenanceEntry {
  /** Null where a record names a document without saying what it did. */
  readonly role: ProvenanceRole | null;
  readonly path: string;
  /** `sha256:<hex>` of the bytes that were in play; null where that was not recorded. */
  readonly hash: string | null;
}

/** A record to append to a thread, conversation or run (§5.4). */
export interface NewRecord {
  /** `turn`, `step`. */
  readonly kind: string;
  readonly number: number;
  readonly name: string;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly status?: string;
  readonly text: string;
  readonly provenance?: readonly ProvenanceEntry[];
}

/**
 * The text of a record, ready for `sheaf append`: its heading, what was said, and a last line `Provenance:` with a link for each primitive in play, its content
 * hash as the link's title. What would read as another record's heading or as provenance in `text` is escaped. Throws `invalid_request` for a heading that
 * could not be read back.
 *
 * @example formatRecord({ kind: 'turn', number: 2, name: 'assistant', timestamp, text: 'Hello.', provenance: [{ role: 'model', path: 'models/m/MODEL.md', hash }] })
 */
export const formatRecord = (record: NewRecord): string => {
  const { kind, number, name, timestamp, status, provenance = [] } = record;
  const heading = `### ${kind} ${number} — ${name} — ${timestamp}${status === undefined ? '' : ` — ${status}`}`;
  const text = escaped(record.text);
  const line = provenance.length === 0 ? '' : `${text === '' ? '' : '\n\n'}Provenance: ${provenance.map(entryLink).join(', ')}`;
  const formatted = `\n${heading}\n${text}${line}\n`;
  const [back, ...others] = parseRecords(formatted);
  const isSame = back?.kind === kind && back.number === number && back.name === name && back.timestamp === timestamp;
  if (!isSame || others.length > 0 || back.status !== (status ?? null)) {
    throw invalidMember(
      'record',
      `the heading '${heading}' would not read back: kind, name, timestamp and status are single words or phrases without ' — '.`,
    );
  }
  return formatted;
};

const escaped = (text: string): string =>
  text
    .trim()
    .replace(/^(?=### [a-z][a-z_-]* \d)/gm, '\\')
    .replace(/^Provenance:/gm, 'Provenance\\:');

const entryLink = ({ role, path, hash }: ProvenanceEntry): string => {
  const refused = checkPath(path);
  if (refused !== null) throw invalidMember('provenance', refused);
  const address = path.split('/').map(encodeAddress).join('/');
  return `[${role ?? 'document'}](/${address}${hash === null ? '' : ` "${hash}"`})`;
};

/** The primitives that a record names as having produced it. */
export const recordProvenance = ({ text }: Pick<AppendRecord, 'text'>): readonly ProvenanceEntry[] => {
  const line = text.split(/\r?\n/).findLast(each => each.startsWith('Provenance:'));
  if (line === undefined) return [];
  return extractLinks(line).flatMap(({ kind, target, label, start, end }) => {
    if (kind !== 'markdown') return [];
    const path = target.replace(/^\//, '');
    const role = provenanceRoles.find(each => each === label) ?? null;
    const hash = /"(sha256:[0-9a-f]{64})"\)$/.exec(line.slice(start, end))?.[1] ?? null;
    return checkPath(path) === null ? [{ role, path, hash }] : [];
  });
};

/**
 * The documents that feedback about an outcome counts for (§11.4): those that the records of its transcript name, of the records made by then, or of the one
 * record that the feedback is about; each once, sorted.
 */
export const creditedPaths = (body: string, feedback: CreditingFeedback): readonly string[] => creditsOf(body)(feedback);

interface CreditingFeedback {
  readonly timestamp: string;
  readonly record?: number | null;
}

/** `creditedPaths` of one transcript for any number of signals about it; the transcript is read once. */
export const creditsOf = (body: string): ((feedback: CreditingFeedback) => readonly string[]) => {
  const records = parseRecords(body)
    .map(record => ({ ...record, paths: recordProvenance(record).map(({ path }) => path) }))
    .filter(({ paths }) => paths.length > 0);
  return ({ timestamp: given, record: about = null }) => {
    const counted = records.filter(({ number, timestamp }) => (about === null ? isBy(timestamp, given) : number === about));
    return [...new Set(counted.flatMap(({ paths }) => paths))].sort();
  };
};

const isBy = (record: string, feedback: string): boolean => {
  const [made, given] = [Date.parse(record), Date.parse(feedback)];
  return Number.isNaN(made) || Number.isNaN(given) || made <= given;
};
