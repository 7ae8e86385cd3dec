import type { GetPromptResult, Prompt } from '@modelcontextprotocol/sdk/types.js';
import { readFrontmatter } from '#api';
import type { Authorship } from './authorship.ts';
import { inner, readCursor, writeCursor } from './cursor.ts';
import { shortened } from './cut-text.ts';
import { ProtocolFault } from './protocol-fault.ts';
import { invoke, type ToolContext } from './tools/tool.ts';

const offeredTypes = ['ssss:skill', 'ssss:assistant'] as const;
const pageSize = 100;
const longestPrompt = 100_000;

interface Offered {
  readonly name: string;
  readonly path: string;
  readonly hash: string;
  readonly title: string | null;
}

/**
 * The skills and assistants that the caller may read and that a person wrote last, in exactly the bytes they hold now (mcp: resources and prompts). What an agent
 * wrote, or what somebody changed on disk without adopting it, is text like any other and never becomes an instruction.
 */
export const createPrompts = (authorship: Authorship) => ({
  async list(context: ToolContext, cursor: string | undefined): Promise<{ prompts: Prompt[]; nextCursor?: string }> {
    const offered = await offeredPrompts(context, authorship);
    const after = cursor === undefined ? '' : readCursor(cursor, inner)[0];
    const rest = offered.filter(({ name }) => name > after);
    const page = rest.slice(0, pageSize);
    const prompts = page.map(({ name, title, path }) => ({ name, description: shortened(`${title ?? path} (${path})`, 300) }));
    const last = page.at(-1);
    return rest.length > pageSize && last !== undefined ? { prompts, nextCursor: writeCursor([last.name]) } : { prompts };
  },

  async get(context: ToolContext, name: string): Promise<GetPromptResult> {
    const prompt = (await offeredPrompts(context, authorship)).find(one => one.name === name);
    const document = prompt === undefined ? null : await invoke(context, 'document.read', { path: prompt.path });
    // Somebody may have written between the two looks.
    if (prompt === undefined || document === null || document.hash !== prompt.hash) throw unknownPrompt();
    const body = readFrontmatter(document.content)?.body.trim() ?? '';
    return {
      description: shortened(prompt.title ?? prompt.path, 300),
      messages: [{ role: 'user', content: { type: 'text', text: shortened(body, longestPrompt) } }],
    };
  },
});

const unknownPrompt = (): ProtocolFault =>
  new ProtocolFault(
    'not_found',
    'No prompt of that name is offered: list them again.',
    'prompts/list names the skills and assistants that a person wrote last.',
  );

const offeredPrompts = async (context: ToolContext, authorship: Authorship): Promise<readonly Offered[]> => {
  const authors = await authorship.lastAuthors();
  const found: Offered[] = [];
  for (const type of offeredTypes) {
    for await (const { path, hash, title } of listed(context, type)) {
      const author = authors.get(path);
      if (hash !== null && author?.kind === 'human' && author.hash === hash)
        found.push({ name: promptName(type, path), path, hash, title });
    }
  }
  return withoutTwins(found).sort((left, right) => (left.name < right.name ? -1 : 1));
};

async function* listed(context: ToolContext, type: string) {
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof listPage>> = await listPage(context, type, cursor);
    yield* page.documents;
    cursor = page.cursor;
  } while (cursor !== null);
}

const listPage = (context: ToolContext, type: string, cursor: string | null) =>
  invoke(context, 'document.list', { type, limit: 1000, cursor: cursor ?? undefined });

/** `skill_tidy-inbox` for `skills/tidy-inbox/SKILL.md`: short, because clients make a command of it. */
const promptName = (type: string, path: string): string => `${type.slice(type.indexOf(':') + 1)}_${slug(nameSegment(path))}`;

const nameSegment = (path: string): string => {
  const segments = path.replace(/\.md$/i, '').split('/');
  const last = segments.at(-1) ?? '';
  // SKILL.md and its like are named by their directory.
  return last === last.toUpperCase() ? (segments.at(-2) ?? last) : last;
};

const slug = (text: string): string =>
  text
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')
    .toLowerCase() || 'unnamed';

/** Where two would bear one name, both are named by their whole path. */
const withoutTwins = (offered: readonly Offered[]): Offered[] => {
  const count = new Map<string, number>();
  for (const { name } of offered) count.set(name, (count.get(name) ?? 0) + 1);
  return offered.map(one =>
    count.get(one.name) === 1 ? one : { ...one, name: `${one.name.split('_')[0] ?? ''}_${slug(one.path.replace(/\.md$/i, ''))}` },
  );
};
