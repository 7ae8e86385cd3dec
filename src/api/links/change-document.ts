import { decodeUtf8, type ParsedFile, parseDocument } from '#document';
import { type LinkedDocument, linkedDocument } from '#semantic';
import { unifiedDiff } from '../history/unified-diff.ts';
import type { LinkSource } from './link-source.ts';
import { refusalReason, submitChange } from './submit-change.ts';
import type { LinkChange, LinkEdit, LinkWriter } from './vault-links.ts';

/** A file as it is stored now. */
export interface CurrentFile {
  readonly document: LinkedDocument;
  readonly parsed: ParsedFile;
  readonly text: string;
}

/** How one file is to change: the members of the patch, the whole new text, and the targets that differ. */
export interface PlannedChange {
  readonly patches: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly edits: readonly LinkEdit[];
}

/** The file at `path`, or null when there is none. */
export const readCurrent = async ({ vfs, registry }: LinkSource, path: string): Promise<CurrentFile | null> => {
  const stored = await vfs.read(path);
  if (stored === null) return null;
  const text = decodeUtf8(stored.bytes);
  const parsed = parseDocument(text);
  return { document: linkedDocument(path, stored.hash, parsed, registry), parsed, text };
};

/** A document that is written by many is planned anew this often before it is left to its writers. */
const attempts = 5;

/**
 * Changes one document as planned from what is stored at that moment: when somebody writes in between, it is read and planned again. Null when there is nothing
 * to change.
 */
export const changeDocument = async (
  source: LinkSource,
  path: string,
  writer: LinkWriter,
  plan: (current: CurrentFile) => PlannedChange | null,
  send = (submission: Parameters<typeof submitChange>[2]) => submitChange(source, writer, submission),
): Promise<LinkChange | null> => {
  for (let attempt = 1; ; attempt++) {
    const current = await readCurrent(source, path);
    const change = current === null ? null : plan(current);
    if (current === null || change === null) return null;
    const { patches, text, edits } = change;
    const response = await send({ type: 'patch', path, patches, ifMatch: current.document.hash });
    if (response.success) {
      if (!response.dry_run)
        return { path, outcome: 'changed', edits, ...(response.event_id === undefined ? {} : { event_id: response.event_id }) };
      const diff = unifiedDiff(path, { text: current.text, label: 'now' }, { text, label: 'planned' });
      return { path, outcome: 'planned', edits, diff };
    }
    if (response.error.code !== 'version_conflict' || attempt === attempts) {
      return { path, outcome: 'refused', edits, reason: refusalReason(response) };
    }
  }
};

/** Why no envelope can change the body of a file, or null. */
export const unchangeable = ({ kind, appendOnly }: LinkedDocument): string | null => {
  if (appendOnly) return 'its records are only ever appended to';
  if (kind === 'ordinary') return 'it is Markdown without a type, which the contract does not write: change it in an editor';
  return kind === 'invalid' ? 'its frontmatter is not valid: mend it first' : null;
};
