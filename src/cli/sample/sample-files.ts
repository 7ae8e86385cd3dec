import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { packageRoot } from '../package-root.ts';

/** The sample vault as it ships with the package. */
const sampleDirectory = join(packageRoot, 'examples/sample-vault');

export interface SampleFile {
  /** Vault path. */
  readonly path: string;
  readonly text: string;
}

/** Every Markdown file of the sample, sorted by path. */
export const readSampleFiles = (): readonly SampleFile[] => {
  const root = join(sampleDirectory, 'vault');
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name.endsWith('.md'))
    .map(entry => join(entry.parentPath, entry.name))
    .map(file => ({ path: file.slice(root.length + 1).replaceAll('\\', '/'), text: readFileSync(file, 'utf8') }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
};

/** The sample's extension registries, by id. */
export const readSampleExtensions = (): ReadonlyMap<string, string> => {
  const directory = join(sampleDirectory, 'extensions');
  return new Map(readdirSync(directory).map(file => [basename(file, '.json'), readFileSync(join(directory, file), 'utf8')]));
};
