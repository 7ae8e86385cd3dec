/** What a file's name alone says about it. */
export type FileNameKind =
  | { readonly kind: 'markdown' | 'not_markdown' | 'temporary' }
  /** A sync tool's sibling copy of `original`; `certain` is false where a person might have chosen that name. */
  | { readonly kind: 'conflict_copy'; readonly original: string; readonly certain: boolean }
  /** A file that a merge tool puts beside `original` while it works; its name alone proves nothing. */
  | { readonly kind: 'merge_side'; readonly original: string }
  /** A placeholder that a cloud drive left where `original` was. */
  | { readonly kind: 'stub'; readonly original: string };

/** Names that editors, browsers and sync tools give to what is not finished, or not needed any more. */
const temporary = [
  /~$/,
  /\.tmp(?:[.-](?!md$)[\w-]*)?$/i,
  /\.sw[a-px]$/i,
  /^\.#/,
  /^~\$/,
  /^#.*#$/,
  /\.(?:part|crdownload|partial|kate-swp|bak|orig)$/i,
  /___jb_(?:tmp|old)___$/,
  /^\.goutputstream-/,
  /^\.fuse_hidden[\da-f]+$/,
  /^\.nfs[\da-f]+$/,
  /^\.~lock\..*#$/,
  /^~syncthing~/,
  /^\.syncthing\./,
  /^\._/,
];

/** Names that sync tools give: Syncthing; Dropbox, Nextcloud and others; ownCloud; Synology; then anything in brackets that speaks of a conflict. */
const conflictCopies = [
  { pattern: /^(.+)\.sync-conflict-\d{8}-\d{6}(?:-[A-Z0-9]+)?(\.[^.]+)?$/i, certain: true },
  { pattern: /^(.+?) \([^()]*conflicted copy[^()]*\)(\.[^.]+)?$/i, certain: true },
  { pattern: /^(.+)_conflict-\d{8}-\d{6}(\.[^.]+)?$/i, certain: true },
  { pattern: /^(.+?)_[^_]+_[A-Z][a-z]{2}-\d{2}-\d{6}-\d{4}_Conflict(\.[^.]+)?$/, certain: true },
  { pattern: /^(.+?) \([^()]*conflict[^()]*\)(\.[^.]+)?$/i, certain: false },
];

/** `git mergetool` lays out the sides of a conflict as documents of their own. */
const mergeSide = /^(.+)_(?:BACKUP|BASE|LOCAL|REMOTE)_\d+(\.[^.]+)$/;

/** Placeholders: iCloud hides an evicted `a.md` behind `.a.md.icloud`; virtual files of Nextcloud, ownCloud and odrive carry a suffix. */
const placeholders = [
  { pattern: /^\.(.+)\.icloud$/, name: (original: string) => `.${original}.icloud` },
  { pattern: /^(.+\.md)\.nextcloud$/, name: (original: string) => `${original}.nextcloud` },
  { pattern: /^(.+\.md)\.owncloud$/, name: (original: string) => `${original}.owncloud` },
  { pattern: /^(.+\.md)\.cloud$/, name: (original: string) => `${original}.cloud` },
];

/** Classifies a vault path by its last segment, so that copies and placeholders of sync tools are never taken for notes. */
export const fileNameKind = (path: string): FileNameKind => {
  const { directory, name } = splitPath(path);
  // Most names: none of the patterns below matches one.
  if (/^[a-z\d][a-z\d-]*\.md$/.test(name)) return { kind: 'markdown' };
  for (const { pattern } of placeholders) {
    const original = pattern.exec(name)?.[1];
    if (original !== undefined) return { kind: 'stub', original: directory + original };
  }
  if (temporary.some(pattern => pattern.test(name))) return { kind: 'temporary' };
  for (const { pattern, certain } of conflictCopies) {
    const match = pattern.exec(name);
    if (match?.[1]) return { kind: 'conflict_copy', original: directory + match[1] + (match[2] ?? ''), certain };
  }
  const side = mergeSide.exec(name);
  if (side !== null) return { kind: 'merge_side', original: `${directory}${side[1]}${side[2]}` };
  return { kind: name.endsWith('.md') ? 'markdown' : 'not_markdown' };
};

/** The names under which a cloud drive might have left a placeholder for a document. */
export const placeholdersOf = (path: string): readonly string[] => {
  const { directory, name } = splitPath(path);
  return placeholders.map(placeholder => directory + placeholder.name(name));
};

const splitPath = (path: string): { readonly directory: string; readonly name: string } => {
  const start = path.lastIndexOf('/') + 1;
  return { directory: path.slice(0, start), name: path.slice(start) };
};
