import type { ReadResourceResult, Resource } from '@modelcontextprotocol/sdk/types.js';
import { VaultError } from '#errors';
import { inner, readCursor, writeCursor } from './cursor.ts';
import { documentPage } from './tools/read-tools.ts';
import { invoke, type ToolContext } from './tools/tool.ts';
import { defang, untrustedBlock } from './untrusted-block.ts';

const prefix = 'sheaf://documents/';
const pageSize = 200;
const longestResource = 50_000;

export const documentTemplate = {
  uriTemplate: `${prefix}{+path}`,
  name: 'document',
  title: 'A document of the vault',
  description: 'The text of one document, in a marked block; long ones are cut, read_document pages through them.',
  mimeType: 'text/markdown',
} as const;

/** The documents the caller may read, as resources (mcp: resources and prompts). */
export const listResources = async (
  context: ToolContext,
  cursor: string | undefined,
): Promise<{ resources: Resource[]; nextCursor?: string }> => {
  const page = await invoke(context, 'document.list', {
    limit: pageSize,
    cursor: cursor === undefined ? undefined : readCursor(cursor, inner)[0],
  });
  const resources = page.documents.map(({ path }) => ({
    uri: `${prefix}${path.split('/').map(encodeURIComponent).join('/')}`,
    // Shown by clients and often given to the model; titles are left out for that reason.
    name: defang(path).text,
    mimeType: 'text/markdown',
  }));
  return page.cursor === null ? { resources } : { resources, nextCursor: writeCursor([page.cursor]) };
};

/** One document by its address (mcp: resources and prompts). */
export const readResource = async (context: ToolContext, uri: string): Promise<ReadResourceResult> => {
  const document = await invoke(context, 'document.read', { path: pathOf(uri) });
  const { lines, stored = '' } = documentPage(document, undefined, longestResource);
  return { contents: [{ uri, mimeType: 'text/markdown', text: untrustedBlock(stored).text, _meta: { 'sheaf/document': lines } }] };
};

/** Decoded once: a path that still holds an escape afterwards is a name like any other. */
const pathOf = (uri: string): string => {
  const issue = `not an address of a document: ${prefix} and the path`;
  try {
    if (uri.startsWith(prefix) && !/[?#]/.test(uri)) return uri.slice(prefix.length).split('/').map(decodeSegment).join('/');
  } catch {
    // An escape that is no UTF-8.
  }
  throw new VaultError('invalid_request', { issues: [{ field: 'uri', issue }] }, `uri: ${issue}.`);
};

const decodeSegment = (segment: string): string => {
  const text = decodeURIComponent(segment);
  if (text.includes('/')) throw new URIError('an encoded slash');
  return text;
};
