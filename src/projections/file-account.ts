/** Why a file is neither a document nor ordinary Markdown. */
export type ReportKind = 'invalid' | 'conflict_marker' | 'conflict_copy' | 'stub' | 'temporary' | 'not_markdown' | 'unreadable';

export interface ReportedFile {
  readonly path: string;
  readonly kind: ReportKind;
  readonly reason: string;
  /** Where in the file, when the reason has a place there. */
  readonly line?: number;
}

/** Every file found is accounted for once: `found = documents + ordinary + reported.length`. Nothing is skipped silently. */
export interface FileAccount {
  readonly found: number;
  readonly documents: number;
  /** Markdown without a frontmatter block, `index.md` pages among it. */
  readonly ordinary: number;
  readonly reported: readonly ReportedFile[];
}

/** Counts files as a scan meets them. */
export const createFileCounter = () => {
  let documents = 0;
  let ordinary = 0;
  const reported: ReportedFile[] = [];
  return {
    document: () => void documents++,
    ordinary: () => void ordinary++,
    report: (file: ReportedFile) => void reported.push(file),
    account: (): FileAccount => ({ found: documents + ordinary + reported.length, documents, ordinary, reported }),
  };
};

export type FileCounter = ReturnType<typeof createFileCounter>;
