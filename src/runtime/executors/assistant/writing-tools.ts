import { z } from 'zod';
import { capabilityCovers } from '#policy';
import { statedText } from '../../rights/stated-text.ts';
import type { Write } from '../approval/guarded-run.ts';
import { oneLine } from '../fence.ts';
import { type AssistantTool, assistantTool, failure, mayEver, type ToolContext, type ToolResult } from './assistant-tool.ts';

const path = z.string().min(1).max(1000).describe('Path of the document from the root of the vault, ending in .md.');
const baseHash = z
  .string()
  .max(100)
  .describe('The hash that read_document gave; the change is refused when the document has changed since.');
const fields = z.record(z.string().max(200), z.unknown());

const submit = async ({ run, read }: ToolContext, write: Write, done: string): Promise<ToolResult> => {
  const answer = await run.submit(write);
  if (!answer.success) return failure(`Not done (${answer.code}): ${oneLine(answer.message, 1000)}`, [write.path]);
  // What stands there now is another version than the one that was read.
  read.delete(write.path);
  return { failed: false, text: `${done} ${answer.path}.`, note: `${done.toLowerCase()} ${oneLine(answer.path)}`, paths: [answer.path] };
};

const writeDocument = assistantTool({
  name: 'write_document',
  description:
    'Create a document, or replace an existing one as a whole with the base_hash that read_document gave. `content` is the complete Markdown text with its YAML frontmatter between --- lines.',
  input: z.strictObject({ path, content: z.string().max(200_000), base_hash: baseHash.optional() }),
  offered: capabilities => mayEver(capabilities, ['create', 'replace']),
  // Without a base the document must not exist yet, so that nothing is overwritten that was not read.
  run: (context, input) =>
    submit(context, { type: 'operation', path: input.path, content: input.content, ifMatch: input.base_hash ?? null }, 'Wrote'),
});

const patchDocument = assistantTool({
  name: 'patch_document',
  description: 'Change single frontmatter values of a document and, with `body`, its body; every other byte stays.',
  input: z.strictObject({ path, set: fields.optional(), body: z.string().max(200_000).optional(), base_hash: baseHash.optional() }),
  offered: capabilities => mayEver(capabilities, ['patch']),
  async run(context, input) {
    const patches = { ...input.set, ...(input.body === undefined ? {} : { __body__: input.body }) };
    if (Object.keys(patches).length === 0) return failure('Give `set` or `body`: there is nothing to change.');
    const base = input.base_hash ?? context.read.get(input.path);
    return submit(context, { type: 'patch', path: input.path, patches, ...(base === undefined ? {} : { ifMatch: base }) }, 'Changed');
  },
});

const appendRecord = assistantTool({
  name: 'append_record',
  description: 'Append text to the end of a thread, conversation or run.',
  input: z.strictObject({ path, text: z.string().min(1).max(100_000) }),
  offered: capabilities => mayEver(capabilities, ['append']),
  async run(context, input) {
    const document = await context.run.read(input.path);
    if (document === null) return failure(`There is no document '${oneLine(input.path)}' that this run may read.`, [input.path]);
    // A body patch of any other type would replace the body.
    if (!appended.has(statedText(document.data, 'type') ?? ''))
      return failure('Only threads, conversations and runs are appended to; use patch_document.', [input.path]);
    return submit(context, { type: 'patch', path: input.path, patches: { __body__: input.text }, ifMatch: document.hash }, 'Appended to');
  },
});

const appended = new Set(['thread', 'conversation', 'run', 'ssss:thread', 'ssss:conversation', 'ssss:run']);

const recordEvent = assistantTool({
  name: 'record_event',
  description: 'Record in the log that something happened, without changing a document.',
  input: z.strictObject({
    subject: z.string().min(1).max(1000).describe('What it is about, such as orders/1042.'),
    event_type: z.string().min(1).max(200),
    data: fields.optional(),
  }),
  offered: capabilities => capabilities.some(capability => capabilityCovers(capability, 'write:event')),
  run: (context, { subject, event_type, data }) =>
    submit(context, { type: 'event', path: subject, content: JSON.stringify({ ...data, event_type }) }, 'Recorded an event about'),
});

const finish = assistantTool({
  name: 'finish',
  description: 'End the work: `done` when the task is fulfilled, `failed` when it cannot be, with a summary for people.',
  input: z.strictObject({ outcome: z.enum(['done', 'failed']), summary: z.string().min(1).max(4000) }),
  run: async (_, { outcome, summary }) => ({
    failed: false,
    text: 'The work is ended.',
    note: `finished: ${outcome}`,
    paths: [],
    ends: { done: outcome === 'done', summary },
  }),
});

/** What an assistant can do to the vault, and how it ends. */
export const writingTools: readonly AssistantTool[] = [writeDocument, patchDocument, appendRecord, recordEvent, finish];
