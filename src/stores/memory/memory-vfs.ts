import type { StoredDocument, Vfs } from '#adapter-contracts';
import { checkPath, foldPath, hashContent } from '#document';
import { VaultError } from '#errors';

const refused = (path: string, issue: string): VaultError<'invalid_request'> =>
  new VaultError('invalid_request', { issues: [{ field: 'path', issue }] }, `'${path}': ${issue}.`);

const changed = (path: string, what: string): VaultError<'version_conflict'> =>
  new VaultError('version_conflict', { path }, `'${path}' ${what}. Read it again and repeat the change on what it says now.`);

const parentsOf = (path: string): readonly string[] => {
  const segments = path.split('/');
  return segments.slice(1).map((_, index) => segments.slice(0, index + 1).join('/'));
};

const copyOf = (document: StoredDocument): StoredDocument => ({ ...document, bytes: document.bytes.slice() });

/**
 * The documents of a memory workspace (§6.7). Every call decides and acts without a pause, so a compare-and-swap needs no lock; directories
 * exist exactly as long as a document lies below them.
 */
export const createMemoryVfs = (): Vfs => {
  const documents = new Map<string, StoredDocument>();
  const pathsByFold = new Map<string, Set<string>>();
  const documentsBelow = new Map<string, number>();

  const checkTarget = (path: string): void => {
    const reason = checkPath(path);
    if (reason !== null) throw refused(path, reason);
    if (documentsBelow.has(path)) throw refused(path, 'a directory stands at this path; name a document inside it');
    const file = parentsOf(path).find(parent => documents.has(parent));
    if (file !== undefined) throw refused(path, `'${file}' is a document, so nothing can lie below it`);
  };
  const twinOf = (path: string): string | null => [...(pathsByFold.get(foldPath(path)) ?? [])].find(other => other !== path) ?? null;
  const enter = (path: string): void => {
    const fold = foldPath(path);
    pathsByFold.set(fold, (pathsByFold.get(fold) ?? new Set()).add(path));
    for (const parent of parentsOf(path)) documentsBelow.set(parent, (documentsBelow.get(parent) ?? 0) + 1);
  };
  const leave = (path: string): void => {
    const fold = foldPath(path);
    const paths = pathsByFold.get(fold);
    paths?.delete(path);
    if (paths?.size === 0) pathsByFold.delete(fold);
    for (const parent of parentsOf(path)) {
      const left = (documentsBelow.get(parent) ?? 0) - 1;
      if (left > 0) documentsBelow.set(parent, left);
      else documentsBelow.delete(parent);
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
        // Two creators of one name in two spellings hold no common lock here, so the write itself refuses the second (rulings: case twins).
        const twin = twinOf(path);
        if (twin !== null) throw refused(path, `'${twin}' exists and differs only by letter case or Unicode form; use that path`);
        enter(path);
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
      leave(path);
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
