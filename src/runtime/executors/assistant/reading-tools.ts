import { z } from 'zod';
import { beginning, oneLine } from '../fence.ts';
import { type AssistantTool, assistantTool, failure } from './assistant-tool.ts';

/** Characters of one answer; a longer document is read in pieces. */
const maxText = 24_000;

const path = z.string().min(1).max(1000).describe('Path of the document from the root of the vault, ending in .md.');

const readDocument = assistantTool({
  name: 'read_document',
  description: 'Read a document: its hash, its frontmatter as JSON, and its body. Long bodies come in pieces: ask again with `offset`.',
  input: z.strictObject({ path, offset: z.number().int().min(0).default(0).describe('Characters of the body to leave out.') }),
  async run({ run, fence, read }, input) {
    const document = await run.read(input.path);
    if (document === null) return failure(`There is no document '${oneLine(input.path)}' that this run may read.`, [input.path]);
    read.set(document.path, document.hash);
    const piece = beginning(document.body.slice(input.offset), maxText);
    const shown = input.offset === 0 ? `frontmatter: ${JSON.stringify(document.data)}\nbody:\n${piece.text}` : piece.text;
    const rest = piece.left === 0 ? '' : `\n${piece.left} more characters: read again with offset ${input.offset + piece.text.length}.`;
    return {
      failed: false,
      text: `hash: ${document.hash}\n${fence.around(shown, document.path)}${rest}`,
      note: `read ${oneLine(document.path)}`,
      paths: [document.path],
    };
  },
});

const listDocuments = assistantTool({
  name: 'list_documents',
  description: 'List documents below a directory, or of one type, in the order of their paths.',
  input: z.strictObject({
    prefix: z.string().max(1000).optional().describe('Such as `memory/`.'),
    type: z.string().max(200).optional().describe('Such as `ssss:memory`.'),
    limit: z.number().int().min(1).max(100).default(50),
  }),
  async run({ run, fence }, { prefix, type, limit }) {
    const rows = await run.list({ limit, ...(prefix === undefined ? {} : { prefix }), ...(type === undefined ? {} : { type }) });
    const text = rows.map(row => `${row.path}\t${row.type ?? '-'}\t${oneLine(row.title ?? '')}`).join('\n');
    const paths = rows.map(row => row.path);
    return {
      failed: false,
      text: rows.length === 0 ? 'Nothing.' : fence.around(text, 'list'),
      note: `listed ${rows.length} documents`,
      paths,
    };
  },
});

const search = assistantTool({
  name: 'search',
  description: 'Search the documents by words and by meaning.',
  input: z.strictObject({ query: z.string().min(1).max(1000), limit: z.number().int().min(1).max(20).default(8) }),
  async run({ run, fence }, { query, limit }) {
    const hits = await run.search(query, limit);
    const text = hits.map(hit => `${hit.path}\t${oneLine(hit.title)}\n  ${oneLine(hit.snippet, 400)}`).join('\n');
    const paths = hits.map(hit => hit.path);
    return {
      failed: false,
      text: hits.length === 0 ? 'Nothing.' : fence.around(text, 'search'),
      note: `found ${hits.length} documents`,
      paths,
    };
  },
});

const readSkill = assistantTool({
  name: 'read_skill',
  description: 'Read the instructions of one of your skills before you use it.',
  input: z.strictObject({ name: z.string().min(1).max(200).describe('As the list of skills gives it.') }),
  async run({ run, skills, used, fence }, { name }) {
    const skill = skills.find(({ data, path: at }) => data.name === name || at === name);
    if (skill === undefined) return failure(`There is no skill '${oneLine(name)}'.`);
    used.add(skill.path);
    // A skill that a person wrote tells the assistant what to do; any other is only text.
    if (skill.outside !== null) run.taint(`${skill.path}: ${skill.outside}`);
    const { text, left } = beginning(skill.body, maxText);
    const body = skill.outside === null ? text : fence.around(text, skill.path);
    return {
      failed: false,
      text: left === 0 ? body : `${body}\n(${left} more characters)`,
      note: `opened the skill ${oneLine(skill.path)}`,
      paths: [skill.path],
    };
  },
});

/** What an assistant can do without changing anything. */
export const readingTools: readonly AssistantTool[] = [readDocument, listDocuments, search, readSkill];
