import type { Renderer } from '#adapter-contracts';
import { decodeUtf8, parseDocument } from '#document';
import { VaultError } from '#errors';
import { type ProjectionView, readStored } from '#projections';
import type { Registry } from '#registry';
import {
  chooseConvention,
  concernsLanguage,
  conventionPaths,
  type LanguageConvention,
  readConvention,
  renderDocument,
  requireLanguage,
} from '#semantic';
import type { VaultDocument } from '../vault.ts';
import type { VaultRendering } from './vault-rendering.ts';

interface RenderingParts {
  readonly vfs: Parameters<typeof readStored>[0];
  readonly registry: Registry;
  readonly projections: ProjectionView;
  readonly renderer: Renderer | null;
  read(path: string): Promise<VaultDocument | null>;
}

export const createVaultRendering =
  (parts: RenderingParts): VaultRendering =>
  async (path, language, options = {}) => {
    const tag = requireLanguage(language);
    const document = await parts.read(path);
    if (document === null) throw new VaultError('not_found', { path }, `No document at '${path}'.`);
    const conventions = await readConventions(parts, tag, options);
    const { hash, type, text } = document;
    return renderDocument(
      { path, hash, type, parsed: parseDocument(text) },
      { language: tag, convention: chooseConvention(conventions, tag), renderer: parts.renderer, signal: options.signal },
    );
  };

const readConventions = async (
  { vfs, registry, projections }: RenderingParts,
  language: string,
  { mayRead, signal }: NonNullable<Parameters<VaultRendering>[2]>,
): Promise<readonly LanguageConvention[]> => {
  await projections.level(signal === undefined ? {} : { signal });
  const places = await projections.read(db => conventionPaths(db, registry));
  const conventions: LanguageConvention[] = [];
  for (const { path, type } of places) {
    if (mayRead?.(type) === false) continue;
    const stored = await readStored(vfs, path);
    const parsed = 'bytes' in stored ? parseDocument(decodeUtf8(stored.bytes)) : null;
    if (parsed?.kind !== 'document' || !concernsLanguage(parsed.document.data, language)) continue;
    conventions.push(readConvention(path, parsed.document.data));
  }
  return conventions;
};
