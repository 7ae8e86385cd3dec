import { z } from 'zod';
import { inner, readCursor } from '../cursor.ts';
import { shortened } from '../cut-text.ts';
import { rowsThatFit } from './fitting-rows.ts';
import { defineTool, invoke } from './tool.ts';

const reading = { readOnlyHint: true, openWorldHint: false } as const;
const privateToo = z.boolean().optional().describe('Private documents, too; needs the capability search:private.');

export const searchTool = defineTool({
  name: 'search',
  title: 'Search documents',
  description:
    'Find documents by what they say, in any language: path, title, type, hash and the stretch where the words stand, best first. All words must occur; "quoted words" stand together; -word must not occur. evidence.lexical is 0 when only the meaning fits. Read what you need with read_document.',
  annotations: reading,
  input: z.strictObject({
    query: z.string().describe('A few telling words.'),
    type: z.string().optional().describe('Bare (memory) or qualified (ssss:memory); several with commas between.'),
    tag: z.string().optional().describe('Several with commas between: all of them.'),
    status: z.string().optional(),
    language: z.string().optional().describe('BCP-47, such as ja; de also stands for de-AT.'),
    since: z.string().optional().describe('ISO 8601; documents of that time or later.'),
    until: z.string().optional().describe('ISO 8601; documents from before that time.'),
    prefix: z.string().optional().describe('A directory, or the beginning of paths.'),
    private: privateToo,
    limit: z.number().int().min(1).max(50).default(10).describe('How many documents at most.'),
    cursor: z.string().min(1).optional().describe('From the last reply, to go on where it ended; repeat query and filters.'),
  }),
  run: (context, { query, cursor: from, limit, ...filter }) =>
    rowsThatFit(limit, async count => {
      const page = await invoke(context, 'search.query', { q: query, ...filter, limit: count, cursor: from && readCursor(from, inner)[0] });
      const rows = page.hits.map(hit => ({ ...hit, title: shortened(hit.title, 300), score: rounded(hit.score) }));
      const lines = [
        `total: ${page.total}`,
        `semantic: ${page.semantic.state}`,
        ...page.reasons.map(({ code, message }) => `${code}: ${message}`),
      ];
      return { rows, cursor: page.cursor, noun: 'hits', lines };
    }),
});

const rounded = (score: number): number => Math.round(score * 1e6) / 1e6;

export const graphTool = defineTool({
  name: 'graph',
  title: 'Documents around a document',
  description:
    'What a document leads to and what leads to it: relations and links with where they stand and go. Edges that lead nowhere, or may mean several documents, say so.',
  annotations: reading,
  input: z.strictObject({
    path: z.string().min(1),
    depth: z.number().int().min(1).max(3).default(1).describe('How many steps away.'),
    private: privateToo,
    limit: z.number().int().min(1).max(200).default(100).describe('How many edges at most.'),
  }),
  run: (context, { limit, ...question }) =>
    rowsThatFit(limit, async count => {
      const graph = await invoke(context, 'graph.query', { ...question, limit: count });
      const titles = new Map(graph.nodes.map(node => [node.path, node]));
      const rows = graph.edges.map(({ target, candidates, ...edge }) => ({
        ...edge,
        target: shortened(target, 300),
        candidates: candidates.slice(0, 20),
        ...(edge.to === null
          ? {}
          : { to_title: shortened(titles.get(edge.to)?.title ?? '', 300), to_type: titles.get(edge.to)?.type ?? null }),
      }));
      return { rows, cursor: null, noun: 'edges', lines: [`all edges: ${graph.more ? 'no, there are more' : 'yes'}`] };
    }),
});
