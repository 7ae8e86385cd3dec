import { hashContent, isIndexPath, type LinkLookup, type ParsedFile } from '#document';
import { type Definition, effectivePortability, isPortabilityClass, type Registry } from '#registry';
import { type ReferencedSnapshot, snapshotOf, validateDocument } from '#validation';
import type { Bundle, BundleFile, ExportProfile } from '../bundle.ts';
import { byPath } from '../content-hash.ts';
import { boundValues, reduceToRequirement } from '../requirement.ts';
import type { ExportOptions } from './export-options.ts';
import { type ExportFinding, ExportRefusedError, type ExportReport, type Leaving, type Staying } from './export-report.ts';
import { makeManifest } from './make-manifest.ts';
import type { Requiring } from './requirements.ts';
import { reviewContent } from './review-content.ts';

/** One file of the vault, read and parsed. */
export interface VaultFile {
  readonly path: string;
  readonly text: string;
  readonly parsed: ParsedFile;
}

/**
 * Makes a bundle of a vault (§16, §17.1, §5.5). Pure: the same files, registry and options give the same bytes. Structural documents leave as they are; those
 * bound to a resource are reduced to what they need in a template or a sale, private ones stay. Throws `ExportRefusedError`, with the whole report, when a
 * document is invalid or of no known type, when nobody can know what to strip, or when a finding was not acknowledged.
 */
export const exportBundle = (
  files: readonly VaultFile[],
  registry: Registry,
  links: LinkLookup,
  options: ExportOptions,
): { readonly bundle: Bundle; readonly report: ExportReport } => {
  const { profile } = options;
  const sorted = files.slice().sort((a, b) => (a.path < b.path ? -1 : 1));
  const chosen = chooseFiles(sorted, registry, profile);
  const leaves = new Set(chosen.files.map(({ path }) => path));
  const bound = profile === 'backup' ? [] : [...new Set(chosen.bound)];
  const findings =
    profile === 'backup'
      ? []
      : chosen.files.flatMap(file =>
          reviewContent(file, { bound, links, leaves: path => leaves.has(path), acknowledged: options.acknowledged ?? [] }),
        );
  const report: ExportReport = { leaving: chosen.leaving, staying: chosen.staying, findings: [...chosen.findings, ...findings] };
  const open = report.findings.filter(({ acknowledged, kind }) => !acknowledged && kind !== 'ignored_override');
  const problems = [
    ...chosen.problems,
    ...open.map(({ path, line, reason, finding }) => ({ path, line, issue: `${reason} (acknowledge as ${finding})` })),
  ];
  if (problems.length > 0) throw new ExportRefusedError(problems, report);
  const emitted = chosen.files.slice().sort(byPath);
  return { bundle: { manifest: makeManifest(emitted, registry, chosen.types, chosen.requiring, options), files: emitted }, report };
};

interface Chosen {
  readonly files: readonly BundleFile[];
  /** Path → type of each document that leaves; pages of links are in none. */
  readonly types: ReadonlyMap<string, Definition>;
  readonly leaving: readonly Leaving[];
  readonly staying: readonly Staying[];
  readonly findings: readonly ExportFinding[];
  readonly problems: readonly { readonly path: string; readonly line?: number; readonly issue: string }[];
  readonly requiring: readonly Requiring[];
  readonly bound: readonly string[];
}

const chooseFiles = (files: readonly VaultFile[], registry: Registry, profile: ExportProfile): Chosen => {
  const chosen = {
    files: [] as BundleFile[],
    types: new Map<string, Definition>(),
    leaving: [] as Leaving[],
    staying: [] as Staying[],
    findings: [] as ExportFinding[],
    problems: [] as { path: string; line?: number; issue: string }[],
    requiring: [] as Requiring[],
    bound: [] as string[],
  };
  const known = new Map(files.map(file => [file.path, file]));
  const lookUp = (path: string): ReferencedSnapshot | null => {
    const file = known.get(path);
    return file === undefined ? null : snapshotOf(file.parsed, hashContent(file.text), registry);
  };
  for (const file of files) {
    const { path, text, parsed } = file;
    if (isIndexPath(path)) {
      if (profile === 'backup') chosen.files.push({ path, content: text });
      else chosen.staying.push({ path, reason: 'a page of links, which may name what stays; the buyer can make it anew' });
      continue;
    }
    if (parsed.kind === 'ordinary' || (parsed.kind === 'document' && typeof parsed.document.data.type !== 'string')) {
      chosen.staying.push({ path, reason: 'no document of the vault: it has no frontmatter with a type' });
      continue;
    }
    const verdict = validateDocument(parsed, registry, lookUp);
    if (!verdict.valid || verdict.definition === null || parsed.kind !== 'document') {
      for (const { field, issue, line } of verdict.errors)
        chosen.problems.push({ path, issue: `${field}: ${issue}`, ...(line === undefined ? {} : { line }) });
      continue;
    }
    const { definition } = verdict;
    const { document } = parsed;
    const portability = effectivePortability(definition, document.data);
    const override: unknown = document.data.x_portability;
    if (override !== undefined && !isPortabilityClass(override))
      chosen.findings.push({
        finding: `ignored_override:${path}`,
        kind: 'ignored_override',
        path,
        line: 1,
        column: 1,
        reason: `x_portability is none of the three classes and was ignored; the document counts as ${portability}`,
        acknowledged: false,
      });
    const shared = { path, type: definition.qualified, portability };
    if (profile === 'backup' || portability === 'structural') {
      chosen.files.push({ path, content: text });
      chosen.leaving.push({ ...shared, how: 'verbatim', stripped: [] });
    } else if (portability === 'tenant_private') {
      chosen.staying.push({ path, reason: `tenant_private: a ${definition.type} never leaves in a ${profile}` });
      continue;
    } else {
      try {
        const { content, stripped } = reduceToRequirement(document, definition);
        chosen.files.push({ path, content });
        chosen.leaving.push({ ...shared, how: 'reduced', stripped });
        chosen.requiring.push({ path, definition, data: document.data });
        chosen.bound.push(...boundValues(definition, document.data));
      } catch (error) {
        chosen.problems.push({ path, issue: (error as Error).message });
        continue;
      }
    }
    chosen.types.set(path, definition);
  }
  return chosen;
};
