import type { StoredDocument, Vfs } from '#adapter-contracts';
import { checkPath, foldPath, hashContent } from '#document';
import { VaultError } from '#errors';

const refused = (path: string, issue: string): VaultError<'invalid_request'> =>
  new VaultError('invalid_request', { issues: [{ field: 'path', issue }] }, `'${path}': ${issue.replace(/\.$/, '')}.`);

const changed = (path: string, what: string): VaultError<'version_conflict'> =>
  new VaultError('version_conflict', { path }, `'${path}' ${what}. Read it again and repeat the change on what it says now.`);

/** `a`, `a/b`, `a/b/c.md` for `a/b/c.md`. */
const prefixesOf = (path: string): readonly string[] => {
  const segments = path.split('/');
  return segments.map((_, index) => segments.slice(0, index + 1).join('/'));
};

const copyOf = (document: StoredDocument): StoredDocument => ({ ...document, bytes: document.bytes.slice() });

/**
 * The documents of a memory workspace (§6.7). Every call decides and acts without a pause, so a compare-and-swap needs no lock; directories
 * exist exactly as long as a document lies below them.
 */
export const createMemoryVfs = (): Vfs => {
  const documents = new Map<string, StoredDocument>();
  // For every folded path or directory: how many documents stand at or below each of its spellings.
  const spellings = new Map<string, Map<string, number>>();

  const countAt = (path: string): number => spellings.get(foldPath(path))?.get(path) ?? 0;
  const checkTarget = (path: string): void => {
    const reason = checkPath(path);
    if (reason !== null) throw refused(path, reason);
    if (!documents.has(path) && countAt(path) > 0) throw refused(path, 'a directory stands at this path; name a document inside it');
    const file = prefixesOf(path).find(prefix => prefix !== path && documents.has(prefix));
    if (file !== undefined) throw refused(path, `'${file}' is a document, so nothing can lie below it`);
  };
  const twinOf = (path: string): string | null => {
    for (const prefix of prefixesOf(path)) {
      const other = [...(spellings.get(foldPath(prefix))?.keys() ?? [])].find(spelling => spelling !== prefix);
      const twin = other === undefined ? undefined : [...documents.keys()].find(each => each === other || each.startsWith(`${other}/`));
      if (twin !== undefined) return twin;
    }
    return null;
  };
  const count = (path: string, by: 1 | -1): void => {
    for (const prefix of prefixesOf(path)) {
      const fold = foldPath(prefix);
      const counts = spellings.get(fold) ?? new Map<string, number>();
      counts.set(prefix, (counts.get(prefix) ?? 0) + by);
      if (counts.get(prefix) === 0) counts.delete(prefix);
      if (counts.size > 0) spellings.set(fold, counts);
      else spellings.delete(fold);
    }
  };
  const checkVersion = (path: string, version: string): void => {
    const current = documents.get(path);
    if (current === undefined) throw changed(path, 'is no longer there');
    if (current.version !== version) throw changed(path, 'changed since it was read');
  };

  return {
    async read(path) {
      checkTarget(path);
      const document = documents.get(path);
      return document === undefined ? null : copyOf(document);
    },
    async writeAtomic(path, bytes, expected) {
      checkTarget(path);
      if ('version' in expected) checkVersion(path, expected.version);
      else if (documents.has(path)) throw changed(path, 'exists already');
      else {
        // Two creators of one name in two spellings hold no common lock here, so the write refuses the second (readings: case twins).
        const twin = twinOf(path);
        if (twin !== null) throw refused(path, `'${twin}' exists and differs only by letter case or Unicode form; use that path`);
        count(path, 1);
      }
      const hash = hashContent(bytes);
      const document: StoredDocument = { bytes: bytes.slice(), version: hash, hash };
      documents.set(path, document);
      return copyOf(document);
    },
    async remove(path, expected) {
      checkTarget(path);
      checkVersion(path, expected.version);
      documents.delete(path);
      count(path, -1);
    },
    async *list(prefix = '') {
      const directory = prefix.endsWith('/') ? prefix.slice(0, -1) : prefix;
      const reason = directory === '' ? null : checkPath(directory);
      if (reason !== null) throw refused(prefix, reason);
      const paths = [...documents.keys()].filter(path => directory === '' || path.startsWith(`${directory}/`));
      for (const path of paths.sort()) yield { path, kind: 'file' };
    },
    async findTwin(path) {
      checkTarget(path);
      return twinOf(path);
    },
  };
};
