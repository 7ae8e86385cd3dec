import type { FrontmatterMap } from '#document';
import { statedText } from './stated-text.ts';

/** Anything with frontmatter, as far as it names other documents. */
interface Naming {
  readonly data: FrontmatterMap;
}

/**
 * The assistant that works on a task: `x_assistant` of the task, else of its workflow; a path, or the name of a directory below `assistants/`. Null when
 * neither names one.
 *
 * @example assistantPath({ data: { x_assistant: 'digest' } }, null) // 'assistants/digest/ASSISTANT.md'
 */
export const assistantPath = (task: Naming, workflow: Naming | null): string | null => {
  const named = [task.data, workflow?.data].map(data => statedText(data, 'x_assistant')).find(value => value !== null);
  return named === undefined || named === null ? null : pathOf(named, slug => `assistants/${slug}/ASSISTANT.md`);
};

/** The slug of an assistant's path, which names its principal `assistant:<slug>` (readings: rights of a run). */
export const assistantSlug = (path: string): string => {
  const match = /^assistants\/([^/]+)\/ASSISTANT\.md$/.exec(path);
  return match?.[1] ?? path.replace(/\.md$/, '').replaceAll('/', '.');
};

/**
 * The skills that an assistant may use: `x_skills`, a list of paths or of names below `skills/`. Only what is listed is offered to it, so that nobody
 * gives an assistant a skill by adding a document.
 */
export const skillPaths = ({ data }: Naming): readonly string[] => {
  const listed = Object.hasOwn(data, 'x_skills') ? data.x_skills : null;
  const names = Array.isArray(listed) ? listed : [listed];
  return [
    ...new Set(
      names
        .filter((name): name is string => typeof name === 'string' && name.trim() !== '')
        .map(name => pathOf(name, slug => `skills/${slug}/SKILL.md`)),
    ),
  ];
};

/** The role that an assistant acts with: the `<role>` of `roles/<role>/ROLE.md` that `x_role` names; null = none. */
export const roleName = ({ data }: Naming): string | null => {
  const named = statedText(data, 'x_role');
  if (named === null) return null;
  const match = /^\/?roles\/([^/]+)\/ROLE\.md$/.exec(named);
  return match?.[1] ?? named;
};

const pathOf = (named: string, ofSlug: (slug: string) => string): string => {
  const plain = named.trim().replace(/^\//, '');
  return plain.endsWith('.md') ? plain : ofSlug(plain);
};
