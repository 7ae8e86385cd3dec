import type { FrontmatterMap } from '#document';

/** The text of a frontmatter key; null where it is absent, empty or something else: whoever writes documents may put a map there. */
export const statedText = (data: FrontmatterMap | undefined, key: string): string | null => {
  const value = data !== undefined && Object.hasOwn(data, key) ? data[key] : null;
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
};
