import { type Document, extractLinks, type Link } from '#document';
import type { FieldIssue } from '#errors';
import type { Definition } from '#registry';

/** Links that lead nowhere, relative links where absolute ones travel better, and sources without a `# Citations` section (§4.3). */
export function linkIssues(
  path: string,
  document: Document,
  definition: Definition | null,
  exists: (path: string) => boolean,
): readonly FieldIssue[] {
  const issues = extractLinks(document.text).flatMap(link => {
    const candidates = candidatePaths(path, link);
    if (candidates.length === 0) return [];
    if (!candidates.some(exists)) return [at(link.line, `The link to '${link.target}' leads nowhere: there is no '${candidates[0]}'.`)];
    if (link.kind !== 'markdown' || link.target.startsWith('/')) return [];
    return [at(link.line, `The link to '${link.target}' should be absolute: '/${candidates[0]}'.`)];
  });
  return [...issues, ...citationIssues(document, definition)];
}

const at = (line: number, issue: string): FieldIssue => ({ field: 'body', issue, line });

/** Vault paths a link may mean, best first; none when it names a slug, which has no path, or climbs out of the vault. */
function candidatePaths(path: string, { kind, target }: Link): readonly string[] {
  if (kind === 'wiki') return target.includes('/') ? withEnding(target.replace(/^\//, '')) : [];
  const resolved = target.startsWith('/') ? target.slice(1) : resolve(path, target);
  return resolved === null ? [] : [resolved];
}

const withEnding = (target: string): readonly string[] => (target.endsWith('.md') ? [target] : [`${target}.md`, target]);

function resolve(path: string, relative: string): string | null {
  const segments = path.split('/').slice(0, -1);
  for (const segment of relative.split('/')) {
    if (segment === '..') {
      if (segments.pop() === undefined) return null;
    } else if (segment !== '.' && segment !== '') segments.push(segment);
  }
  return segments.join('/');
}

function citationIssues(document: Document, definition: Definition | null): readonly FieldIssue[] {
  // A transcript quotes what was said, an asset's body is a payload: neither makes claims of its own.
  if (definition === null || definition.append_only || definition.qualified === 'ssss:asset') return [];
  if (/^#{1,6}[ \t]+Citations[ \t#]*$/im.test(document.body)) return [];
  const source = firstOutsideLink(document.body);
  if (source < 0) return [];
  return [at(document.bodyLine + source, "The body draws on an outside source; list it under a '# Citations' heading at the end.")];
}

/** The 0-based line of the first link to a web address outside code; -1 when there is none. */
function firstOutsideLink(body: string): number {
  let fence: string | null = null;
  return body.split('\n').findIndex(line => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined && (fence === null || mark.startsWith(fence))) fence = fence === null ? mark : null;
    return fence === null && /(?:\]\(<?|<|^\[[^\]]+\]:\s*<?)https?:\/\/\S/i.test(line.replaceAll(/`[^`]*`/g, ''));
  });
}
