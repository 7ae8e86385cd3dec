import type { Link } from '#document';
import {
  checkLinks,
  createLinkMap,
  createMovedPaths,
  type LinkedDocument,
  type LinkFinding,
  type LinkMap,
  retarget,
  rewriteFile,
  type WhereTo,
} from '#semantic';
import { isSelected } from '../path-selection.ts';
import { type CurrentFile, changeDocument, type PlannedChange, unchangeable } from './change-document.ts';
import { linkProblem } from './link-rows.ts';
import type { LinkSource, SurveyLinks } from './link-source.ts';
import type { LinkChange, LinkEdit, LinkFixes, LinkReport, LinkWriter } from './vault-links.ts';

/** Every finding of the selected documents, and what it was found with. */
interface Checked {
  readonly documents: number;
  readonly map: LinkMap;
  readonly findings: readonly LinkFinding[];
  readonly whereTo: WhereTo;
}

/** See `VaultLinks.check`. */
export const reportLinks = async (source: LinkSource, survey: SurveyLinks, paths?: readonly string[]): Promise<LinkReport> => {
  const { documents, findings } = await checkAll(source, survey, paths ?? null);
  return { sound: !findings.some(({ severity }) => severity === 'error'), documents, problems: findings.map(linkProblem) };
};

const checkAll = async (source: LinkSource, survey: SurveyLinks, paths: readonly string[] | null): Promise<Checked> => {
  const all = await survey();
  const map = createLinkMap(all);
  const selected = paths === null || paths.length === 0 ? all : all.filter(({ path }) => isSelected(path, paths));
  const find = (whereTo: WhereTo) => selected.flatMap(document => checkLinks(document, map, whereTo));
  const findings = find(() => null);
  // The log is read only when something is missing that may have been moved.
  if (!findings.some(({ fault }) => fault === 'missing')) return { documents: selected.length, map, findings, whereTo: () => null };
  const moved = createMovedPaths();
  for await (const { event } of source.events.replay({ workspaceId: source.workspaceId })) moved.observe(event);
  return { documents: selected.length, map, findings: find(moved.whereTo), whereTo: moved.whereTo };
};

/** See `VaultLinks.fix`. */
export const fixLinks = async (
  source: LinkSource,
  survey: SurveyLinks,
  paths: readonly string[] | null,
  writer: LinkWriter,
): Promise<LinkFixes> => {
  const checked = await checkAll(source, survey, paths);
  const changes: LinkChange[] = [];
  const remaining: LinkFinding[] = checked.findings.filter(({ repair }) => repair === null);
  for (const [path, findings] of byPath(checked.findings.filter(({ repair }) => repair !== null))) {
    const document = checked.map.documents.get(path);
    const reason = document === undefined ? null : unchangeable(document);
    const only = reason === null ? findings : findings.filter(({ field }) => field !== null && document?.kind === 'document');
    const change = only.length === 0 ? null : await changeDocument(source, path, writer, current => planRepairs(current, checked, source));
    if (change !== null) changes.push(change);
    const untouched = reason === null ? [] : findings.filter(finding => !only.includes(finding));
    if (reason !== null && untouched.length > 0) changes.push({ path, outcome: 'unchangeable', edits: untouched.map(edit), reason });
    if (change?.outcome === 'refused') for (const finding of only) remaining.push(finding);
    for (const finding of untouched) remaining.push(finding);
  }
  const inOrder = remaining.toSorted((left, right) => (left.path < right.path ? -1 : left.path > right.path ? 1 : left.line - right.line));
  return { dry_run: writer.dryRun === true, changes, remaining: inOrder.map(linkProblem) };
};

const edit = ({ line, target, repair }: LinkFinding): LinkEdit => ({ line, from: target, to: repair ?? target });

const byPath = (findings: readonly LinkFinding[]): ReadonlyMap<string, readonly LinkFinding[]> => {
  const grouped = new Map<string, LinkFinding[]>();
  for (const finding of findings) {
    const group = grouped.get(finding.path);
    if (group === undefined) grouped.set(finding.path, [finding]);
    else group.push(finding);
  }
  return grouped;
};

/** Looks at the file anew, because its links may stand elsewhere by now. */
const planRepairs = ({ document, parsed }: CurrentFile, { map, whereTo }: Checked, { registry }: LinkSource): PlannedChange | null => {
  const targets = new Map<number, string>();
  const fields = new Map<string, string>();
  const edits: LinkEdit[] = [];
  for (const { link, line, target, repair } of checkLinks(document, map, whereTo)) {
    if (repair === null) continue;
    const to = link === null ? repair : repairedTarget(link, document, map, repair);
    if (to === null || (link !== null && unchangeable(document) !== null)) continue;
    if (link === null) fields.set(target, to);
    else targets.set(link.start, to);
    edits.push({ line, from: target, to });
  }
  const links = [...document.links, ...document.endless];
  const definition = document.type === null ? null : registry.resolve(document.type);
  const { patches, text } = rewriteFile(document.path, parsed, definition, { targets, links, newPath: path => fields.get(path) ?? null });
  return Object.keys(patches).length === 0 ? null : { patches, text, edits };
};

const repairedTarget = (link: Link, document: LinkedDocument, map: LinkMap, repair: string): string | null => {
  const goal = map.documents.get(repair);
  return goal === undefined ? null : retarget(link, document.path, goal, map);
};
