import { z } from 'zod';
import { VaultError } from '#errors';
import { inner, notACursor, readCursor, writeCursor } from '../cursor.ts';
import { characterCut, isPageStart, shortened } from '../cut-text.ts';
import type { ToolReply } from '../tool-reply.ts';
import { rowsThatFit } from './fitting-rows.ts';
import { type CallResult, defineTool, invoke } from './tool.ts';

const cursor = z.string().min(1).optional().describe('From the last reply, to go on where it ended.');
const reading = { readOnlyHint: true, openWorldHint: false } as const;

export const readDocumentTool = defineTool({
  name: 'read_document',
  title: 'Read a document',
  description:
    'Read one document: its exact text, its type, and its hash, which write_document needs as base_hash. Long documents come in pages.',
  annotations: reading,
  input: z.strictObject({
    path: z.string().min(1),
    cursor,
    limit: z.number().int().min(1000).max(50_000).default(20_000).describe('How much text one page may hold, in characters.'),
  }),
  run: async (context, { path, cursor: from, limit }) => documentPage(await invoke(context, 'document.read', { path }), from, limit),
});

const place = z.tuple([z.string(), z.number()]);

/** One page of a document. The cursor names the version it belongs to, because halves of two versions are no document. */
export const documentPage = (document: CallResult<'document.read'>, from: string | undefined, limit: number): ToolReply => {
  const { content, hash } = document;
  const [version, start] = from === undefined ? [hash, 0] : readCursor(from, place);
  if (version !== hash) {
    const issue = 'the document has changed since the first page was read; read it again from the start';
    throw new VaultError('version_conflict', { path: document.path, issues: [{ field: 'cursor', issue }] }, `cursor: ${issue}.`);
  }
  if (!isPageStart(content, start)) throw notACursor();
  const end = characterCut(content, start, limit);
  const whole = start === 0 && end === content.length;
  const lines = [
    `kind: ${document.kind}`,
    `type: ${document.type ?? 'none'}`,
    `hash: ${hash}`,
    ...(whole ? [] : [`characters: ${start} to ${end} of ${content.length}`]),
    ...(end < content.length ? [`cursor: ${writeCursor([hash, end])}`] : []),
  ];
  return { lines, stored: content.slice(start, end) };
};

const rowLimit = z.number().int().min(1).max(200).default(100).describe('How many rows at most.');

export const listDocumentsTool = defineTool({
  name: 'list_documents',
  title: 'List documents',
  description: 'List documents in path order with type, title and hash: all, those below a prefix, or those of one type.',
  annotations: reading,
  input: z.strictObject({
    prefix: z.string().optional().describe('A directory, or the beginning of paths.'),
    type: z.string().optional().describe('Bare (memory) or qualified (ssss:memory).'),
    limit: rowLimit,
    cursor,
  }),
  run: (context, { cursor: from, limit, ...filter }) =>
    rowsThatFit(limit, async count => {
      const page = await invoke(context, 'document.list', { ...filter, limit: count, cursor: from && readCursor(from, inner)[0] });
      const rows = page.documents.map(row => ({
        ...row,
        title: row.title === null ? null : shortened(row.title, 300),
        ...(row.reason === undefined ? {} : { reason: shortened(row.reason, 300) }),
      }));
      return { rows, cursor: page.cursor, noun: 'documents' };
    }),
});

export const historyTool = defineTool({
  name: 'history',
  title: 'Read the log',
  description:
    'Events in log order, oldest first: who changed what, when, with which hashes. All, or those of a subject (a path, or a directory with a trailing /), of a correlation, or since a time.',
  annotations: reading,
  input: z.strictObject({
    subject: z.string().min(1).optional(),
    correlation_id: z.string().min(1).optional(),
    since: z.string().optional().describe('ISO 8601, such as 2026-05-16 or 2026-05-16T14:00:00Z.'),
    limit: rowLimit,
    cursor,
  }),
  run: (context, { cursor: from, limit, ...filter }) =>
    rowsThatFit(limit, async count => {
      const page = await invoke(context, 'event.list', { ...filter, limit: count, cursor: from && readCursor(from, inner)[0] });
      return { rows: page.events.map(eventRow), cursor: page.more ? page.cursor : null, noun: 'events' };
    }),
});

/** An event as a model needs it. What was in a long payload is cut: as text, so that it cannot be taken for the whole. */
const eventRow = (event: CallResult<'event.list'>['events'][number]) => {
  const { principal, payload, schema_version: _, changed_fields: fields, ...rest } = event;
  const text = JSON.stringify(payload ?? null);
  return {
    ...rest,
    event_type: shortened(rest.event_type, 300),
    changed_fields: fields.slice(0, 100),
    principal: { id: principal.id, kind: principal.kind },
    payload: text.length <= 1000 ? payload : { cut: shortened(text, 1000) },
  };
};
