/** What a file's name alone says about it. */
export type FileNameKind =
  | { readonly kind: 'markdown' | 'not_markdown' | 'temporary' }
  /** A sync tool's sibling copy of `original`; `certain` is false where a person might have chosen that name. */
  | { readonly kind: 'conflict_copy'; readonly original: string; readonly certain: boolean }
  /** A placeholder that a cloud drive left where `original` was. */
  | { readonly kind: 'stub'; readonly original: string };

const temporary = [/~$/, /\.tmp(?:[.-](?!md$)[\w-]*)?$/i, /\.sw[a-p]$/i, /^\.#/, /^~\$/, /^#.*#$/, /\.(?:part|crdownload)$/i];

/** Names that sync tools give: Syncthing; Dropbox, Nextcloud and others; then anything in brackets that speaks of a conflict. */
const conflictCopies = [
  { pattern: /^(.+)\.sync-conflict-\d{8}-\d{6}(?:-[A-Z0-9]+)?(\.[^.]+)?$/i, certain: true },
  { pattern: /^(.+?) \([^()]*conflicted copy[^()]*\)(\.[^.]+)?$/i, certain: true },
  { pattern: /^(.+?) \([^()]*conflict[^()]*\)(\.[^.]+)?$/i, certain: false },
];

/** Classifies a vault path by its last segment, so that copies and placeholders of sync tools are never taken for notes. */
export const fileNameKind = (path: string): FileNameKind => {
  const slash = path.lastIndexOf('/') + 1;
  const directory = path.slice(0, slash);
  const name = path.slice(slash);
  // iCloud hides an evicted `a.md` behind `.a.md.icloud`.
  const evicted = /^\.(.+)\.icloud$/.exec(name)?.[1];
  if (evicted !== undefined) return { kind: 'stub', original: directory + evicted };
  if (temporary.some(pattern => pattern.test(name))) return { kind: 'temporary' };
  for (const { pattern, certain } of conflictCopies) {
    const match = pattern.exec(name);
    if (match?.[1]) return { kind: 'conflict_copy', original: directory + match[1] + (match[2] ?? ''), certain };
  }
  return { kind: name.endsWith('.md') ? 'markdown' : 'not_markdown' };
};
