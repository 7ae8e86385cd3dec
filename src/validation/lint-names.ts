import type { Document } from '#document';
import type { FieldIssue } from '#errors';
import type { Definition } from '#registry';
import { fieldValue, issueAt, shown } from './field-issue.ts';

const slugForm = /^[\p{Ll}\p{Lo}\p{Lm}\p{M}\p{N}]+(?:-[\p{Ll}\p{Lo}\p{Lm}\p{M}\p{N}]+)*$/u;
const conflictIdForm = /^conflict-\d{4}-\d{2}-\d{2}-\d{3,}$/;

/** File names, slugs and identifiers against the conventions of §4.4 and §13. */
export function nameIssues(path: string, document: Document, definition: Definition): readonly FieldIssue[] {
  const segments = path.split('/');
  const file = segments.at(-1) ?? '';
  const directory = segments.at(-2) ?? '';
  return [
    ...fileIssues(file, document, definition),
    ...slugIssues(document),
    ...(definition.qualified === 'ssss:skill' ? directoryIssues('name', directory, document) : []),
    ...(definition.qualified === 'ssss:memory' ? directoryIssues('category', directory, document) : []),
    ...(definition.qualified === 'ssss:conflict' ? conflictIdIssues(document) : []),
    ...(definition.qualified === 'ssss:primitive' ? definitionPathIssues(path, document) : []),
  ];
}

const isFixedName = (name: string | undefined): boolean => name !== undefined && !name.includes('<');

function fileIssues(file: string, document: Document, definition: Definition): readonly FieldIssue[] {
  const canonical = definition.canonical_filename;
  if (isFixedName(canonical)) {
    return file === canonical
      ? []
      : [{ field: 'path', issue: `A '${definition.type}' is conventionally named '${canonical}', not '${file}'.` }];
  }
  const slug = fieldValue(document.data, 'slug');
  if (typeof slug !== 'string' || definition.qualified === 'ssss:primitive' || file === `${slug}.md`) return [];
  return [issueAt(document, 'slug', `Slug and file name should agree: the file of ${shown(slug)} would be '${slug}.md', not '${file}'.`)];
}

function slugIssues(document: Document): readonly FieldIssue[] {
  const slug = fieldValue(document.data, 'slug');
  if (typeof slug !== 'string' || slug === '' || slugForm.test(slug)) return [];
  return [issueAt(document, 'slug', `A slug should be lowercase words joined by hyphens; is ${shown(slug)}.`)];
}

function directoryIssues(field: string, directory: string, document: Document): readonly FieldIssue[] {
  const value = fieldValue(document.data, field);
  if (typeof value !== 'string' || value === directory) return [];
  const is = directory === '' ? 'at the top of the vault' : `in '${directory}'`;
  return [issueAt(document, field, `Field '${field}' should be the name of the directory: ${shown(value)} stands ${is}.`)];
}

function conflictIdIssues(document: Document): readonly FieldIssue[] {
  const id = fieldValue(document.data, 'conflict_id');
  if (typeof id !== 'string' || conflictIdForm.test(id)) return [];
  return [issueAt(document, 'conflict_id', `A conflict id should look like conflict-2026-05-16-001; is ${shown(id)}.`)];
}

function definitionPathIssues(path: string, document: Document): readonly FieldIssue[] {
  const { primitive_id: id, namespace } = document.data;
  if (typeof id !== 'string' || typeof namespace !== 'string') return [];
  const canonical = `primitives/${namespace}/${id.slice(id.indexOf(':') + 1)}.md`;
  return path === canonical ? [] : [{ field: 'path', issue: `The definition of '${id}' should live at '${canonical}', not at '${path}'.` }];
}
