import { checkDocumentPath, type FrontmatterMap, foldPath, hashContent, isIndexPath, isWellFormed, parseDocument } from '#document';
import type { FieldIssue } from '#errors';
import { type Definition, effectivePortability, type Registry } from '#registry';
import { snapshotOf, validateDocument } from '#validation';
import type { BundleFile, ExportProfile } from '../bundle.ts';
import { byPath } from '../content-hash.ts';
import { requirement } from '../requirement.ts';
import type { BundleFault } from './bundle-fault.ts';

/** What a bundle's files came to. */
export interface CheckedFiles {
  readonly faults: readonly BundleFault[];
  /** Registered type → how many files of it; pages of links are in none. */
  readonly inventory: Readonly<Record<string, number>>;
}

/** The rules that hold for each file and between them (§16.1, §16.4, §5.5): order, paths, collisions, validity, and the class that the profile allows. */
export const checkFiles = (files: readonly BundleFile[], registry: Registry, profile: ExportProfile | null): CheckedFiles => {
  const inventory: Record<string, number> = {};
  const faults: BundleFault[] = [...orderFaults(files), ...collisionFaults(files)];
  const parsed = new Map(files.map(({ path, content }) => [path, { content, file: parseDocument(content) }]));
  const lookUp = (path: string) => {
    const found = parsed.get(path);
    return found === undefined ? null : snapshotOf(found.file, hashContent(found.content), registry);
  };
  files.forEach(({ path, content }, index) => {
    const place = `files[${index}]`;
    const refused = checkDocumentPath(path, { creating: true });
    if (refused !== null) faults.push({ rule: 'path', place: `${place}.path`, issue: `${JSON.stringify(path)}: ${refused}` });
    if (!isWellFormed(content))
      faults.push({ rule: 'document', place, issue: `'${path}' holds a lone surrogate, which no file can store.` });
    if (isIndexPath(path)) return;
    const file = parsed.get(path)?.file ?? parseDocument(content);
    const verdict = validateDocument(file, registry, lookUp);
    const data = file.kind === 'document' ? file.document.data : null;
    for (const { issue, line, field } of verdict.errors.filter(error => !isOpenRequirement(error, verdict.definition, data)))
      faults.push({ rule: 'document', place: path, issue: `${field}: ${issue}`, ...(line === undefined ? {} : { line }) });
    if (verdict.definition === null || file.kind !== 'document') return;
    inventory[verdict.definition.type] = (inventory[verdict.definition.type] ?? 0) + 1;
    const portability = effectivePortability(verdict.definition, file.document.data);
    if (portability === 'tenant_private' && profile !== null && profile !== 'backup')
      faults.push({
        rule: 'class',
        place: path,
        issue: `A ${profile} bundle never holds a document that is tenant_private (${verdict.definition.type}).`,
      });
  });
  return { faults, inventory };
};

/** The value of a bound field is still to come, so it cannot break a rule about values. */
const isOpenRequirement = ({ field }: FieldIssue, definition: Definition | null, data: FrontmatterMap | null): boolean =>
  data !== null && definition?.resource?.binds.includes(field) === true && data[field] === requirement;

const orderFaults = (files: readonly BundleFile[]): readonly BundleFault[] => {
  const index = files.findIndex((file, at) => at > 0 && byPath(files[at - 1] as BundleFile, file) > 0);
  const file = files[index];
  if (file === undefined) return [];
  return [
    {
      rule: 'order',
      place: `files[${index}]`,
      issue: `'${file.path}' stands behind a path that comes after it: files are sorted by path.`,
    },
  ];
};

/** Paths that some system would keep in one file, or where one file would have to be a folder for another. */
const collisionFaults = (files: readonly BundleFile[]): readonly BundleFault[] => {
  const faults: BundleFault[] = [];
  const names = new Map<string, string>();
  const report = (index: number, path: string, other: string): void => {
    faults.push({ rule: 'collision', place: `files[${index}].path`, issue: `'${path}' and '${other}' would be one file on some systems.` });
  };
  files.forEach(({ path }, index) => {
    const folded = foldPath(path);
    const twin = names.get(folded);
    if (twin !== undefined) report(index, path, twin);
    else names.set(folded, path);
  });
  const directories = new Map<string, string>();
  files.forEach(({ path }, index) => {
    const parts = path.split('/');
    for (let length = 1; length < parts.length; length += 1) {
      const directory = parts.slice(0, length).join('/');
      const file = names.get(foldPath(directory));
      if (file !== undefined) report(index, path, file);
      // The same directory in two spellings: what lies below would be mixed up.
      const spelling = directories.get(foldPath(directory));
      if (spelling === undefined) directories.set(foldPath(directory), directory);
      else if (spelling !== directory) report(index, path, spelling);
    }
  });
  return faults;
};
