import { conflictMarkers, encodeUtf8, hashContent } from '#document';
import { VaultError } from '#errors';
import { checkIndexContent } from '#validation';
import type { Attempt } from '../attempt.ts';
import type { Change } from './change.ts';
import { assertionIssues, refuseIssues, refuseStoredConflict } from './change-rules.ts';

const index = { definition: null, primitiveId: 'ssss:index', primitiveVersion: 1, proposed: null } as const;

/** A change of an `index.md` (§4.3): plain Markdown without frontmatter, not a primitive, under capabilities of its own. */
export function indexChange(attempt: Attempt): Change {
  const { envelope, current } = attempt;
  attempt.declaredType = index.primitiveId;
  if (envelope.type !== 'operation' && current === null)
    throw new VaultError('not_found', { path: envelope.path }, `No document at '${envelope.path}'.`);
  refuseStoredConflict(attempt);
  const asserted = assertionIssues(attempt, index.primitiveId);
  if (envelope.type === 'delete') {
    refuseIssues(asserted);
    return { ...index, action: 'delete', after: null, afterHash: null, changedFields: [] };
  }
  if (envelope.type === 'operation') {
    const text = envelope.content ?? '';
    refuseIssues([...asserted, ...conflictMarkers(text), ...checkIndexContent(text)]);
    return { ...index, action: current === null ? 'create' : 'replace', ...stored(encodeUtf8(text)), changedFields: [] };
  }
  const keys = Object.keys(envelope.patches ?? {}).sort();
  const others = keys.filter(key => key !== '__body__');
  const body = envelope.patches?.__body__;
  const text = typeof body === 'string' ? body : null;
  refuseIssues([
    ...asserted,
    ...others.map(field => ({ field, issue: 'An index.md has no frontmatter; patch only `__body__`.' })),
    ...(text === null ? [] : [...conflictMarkers(text), ...checkIndexContent(text)]),
  ]);
  const bytes = text === null ? (current?.bytes ?? new Uint8Array()) : encodeUtf8(text);
  return { ...index, action: 'patch', ...stored(bytes), changedFields: keys };
}

const stored = (bytes: Uint8Array) => ({ after: bytes, afterHash: hashContent(bytes) });
