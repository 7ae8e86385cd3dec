import { hashContent, type LinkLookup } from '#document';
import type { BundleFile } from '../bundle.ts';
import type { ExportFinding } from './export-report.ts';
import { findPrivateText } from './find-private-text.ts';
import { lostLinks } from './lost-links.ts';

/** What a person has to look at before a document leaves: text that looks private, and links to what stays. */
export const reviewContent = (
  { path, content }: BundleFile,
  options: {
    readonly bound: readonly string[];
    readonly links: LinkLookup;
    readonly leaves: (path: string) => boolean;
    readonly acknowledged: readonly string[];
  },
): readonly ExportFinding[] => {
  const found = [
    ...findPrivateText(content, options.bound).map(({ kind, what, start, end }) => ({
      kind,
      start,
      text: content.slice(start, end),
      reason: `It looks like ${what}.`,
    })),
    ...lostLinks(path, content, options.links, options.leaves).map(({ link, leadsTo }) => ({
      kind: 'lost_link' as const,
      start: link.start,
      text: link.target,
      reason: `The link leads to '${leadsTo}', which stays.`,
    })),
  ];
  return found.map(({ kind, start, text, reason }) => {
    // The same text at another place of the document is the same thing to look at.
    const finding = `${kind}:${path}:${hashContent(text).slice('sha256:'.length, 'sha256:'.length + 16)}`;
    return { finding, kind, path, ...placeOf(content, start), reason, acknowledged: options.acknowledged.includes(finding) };
  });
};

const placeOf = (text: string, offset: number): { readonly line: number; readonly column: number } => {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - (before.lastIndexOf('\n') + 1) + 1 };
};
