import semver from 'semver';
import type { FrontmatterMap } from '#document';
import { primitiveToExtension } from '#registry';

interface ExtensionFile {
  readonly version: string;
  readonly requires?: Readonly<Record<string, string>>;
  readonly aliases?: Readonly<Record<string, string>>;
  readonly primitives: Readonly<Record<string, unknown>>;
}

/**
 * The text of an extension file with one `primitive` document put in: its type and aliases replace those of an earlier version, everything else
 * stays. Anything new raises the minor version; putting in the same document again gives the same text.
 */
export const withPrimitive = (current: string | null, primitive: FrontmatterMap, namespace: string): string => {
  const first = primitiveToExtension([primitive], namespace, '1.0.0');
  if (current === null) return first;
  const before = JSON.parse(current) as ExtensionFile;
  const added = JSON.parse(first) as ExtensionFile;
  const types = new Set(Object.keys(added.primitives));
  const keptAliases = Object.entries(before.aliases ?? {}).filter(([, type]) => !types.has(type));
  const merged = {
    registry: namespace,
    version: before.version,
    ...filled('requires', { ...before.requires, ...added.requires }),
    ...filled('aliases', { ...Object.fromEntries(keptAliases), ...added.aliases }),
    primitives: { ...before.primitives, ...added.primitives },
  };
  if (JSON.stringify(merged) === JSON.stringify(before)) return current;
  return `${JSON.stringify({ ...merged, version: semver.inc(before.version, 'minor') ?? before.version }, null, 2)}\n`;
};

const filled = <T extends object>(key: string, value: T): Record<string, T> => (Object.keys(value).length === 0 ? {} : { [key]: value });
