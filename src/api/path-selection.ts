/** Whether `path` is one of the chosen files, or lies in one of the chosen directories. */
export const isSelected = (path: string, chosen: readonly string[]): boolean =>
  chosen.some(one => path === one || path.startsWith(one.endsWith('/') ? one : `${one}/`));
