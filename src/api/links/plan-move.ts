import type { CanonicalEvent, Principal } from '#adapter-contracts';
import { checkDocumentPath, checkPath, hashContent } from '#document';
import { invalidMember, VaultError } from '#errors';
import { createMove, type LinkedDocument, type Move, movedLinks } from '#semantic';
import type { LinkSource } from './link-source.ts';
import type { MoveReport } from './vault-links.ts';

/** One document on its way. */
export interface MovedDocument {
  readonly from: string;
  readonly to: string;
  /** The version that moves. */
  readonly hash: string;
  /** Shared by the keys of its two steps, `-create` and `-delete`. */
  readonly key: string;
  /** The event of an earlier, interrupted run that made it at its new place. */
  readonly made: CanonicalEvent | null;
}

/** A move that can be made, as far as paths and kinds say. */
export interface MovePlan {
  readonly documents: readonly MovedDocument[];
  readonly move: Move;
  /** Paths of the documents whose links change, those that move left out. */
  readonly referrers: readonly string[];
  readonly kept: MoveReport['kept'];
  readonly staying: MoveReport['staying'];
}

/** Plans a move. Throws `VaultError` naming why it cannot be made. */
export const planMove = async (
  source: LinkSource,
  all: readonly LinkedDocument[],
  from: string,
  to: string,
  principal: Principal,
): Promise<MovePlan> => {
  const { pairs, staying } = await expand(source, all, from, to);
  const documents: MovedDocument[] = [];
  for (const pair of pairs) documents.push(await movable(source, pair, principal));
  const made = new Set(documents.flatMap(each => (each.made === null ? [] : [each.to])));
  const present = all.filter(({ path }) => !made.has(path));
  const move = createMove(present, new Map(documents.map(each => [each.from, each.to])), source.registry);
  // What an interrupted run made is looked at as well: somebody may have changed it since.
  const { referrers, kept } = affected(all, move);
  return { documents, move, referrers, kept, staying };
};

/** The documents that link to what moves, and the links among them that stay as they are. */
export const affected = (documents: readonly LinkedDocument[], move: Move): Pick<MovePlan, 'referrers' | 'kept'> => {
  const referrers: string[] = [];
  const kept: MoveReport['kept'][number][] = [];
  for (const document of documents) {
    const { path, kind, appendOnly } = document;
    const links = movedLinks(document, move);
    const body = document.links.filter(link => links.targets.has(link.start));
    for (const { link, reason } of links.kept) kept.push({ path, line: link.line, target: link.target, reason });
    const fixed = appendOnly ? 'records are only ever appended to' : kind === 'document' || kind === 'page' ? null : notWritable(kind);
    if (fixed !== null) for (const { line, target } of body) kept.push({ path, line, target, reason: fixed });
    const fields = kind === 'document' && document.fields.some(field => move.newPath(field.path) !== null);
    if (move.newPath(path) === null && ((fixed === null && body.length > 0) || fields)) referrers.push(path);
  }
  return { referrers, kept };
};

const notWritable = (kind: 'ordinary' | 'invalid'): string =>
  kind === 'invalid' ? 'its frontmatter is not valid' : 'it is Markdown without a type, which the contract does not write';

interface Pair {
  readonly document: LinkedDocument;
  readonly to: string;
}

/** The documents that are meant, each with its goal; `to` with a `/` at its end, or a directory, keeps the file's name. */
const expand = async (source: LinkSource, all: readonly LinkedDocument[], from: string, to: string) => {
  const [old, goal] = [from.replace(/\/+$/, ''), to.replace(/\/+$/, '')];
  for (const [field, path] of [
    ['from', old],
    ['to', goal],
  ] as const) {
    const refused = checkPath(path);
    if (refused !== null) throw invalidMember(field, refused);
  }
  const single = from.endsWith('/') ? undefined : all.find(({ path }) => path === old);
  if (single !== undefined) {
    const isDirectory = to.endsWith('/') || (!goal.endsWith('.md') && all.some(({ path }) => path.startsWith(`${goal}/`)));
    const target = isDirectory ? `${goal}/${old.slice(old.lastIndexOf('/') + 1)}` : goal;
    return { pairs: pairsOf([single], () => target), staying: [] };
  }
  if (`${goal}/`.startsWith(`${old}/`)) throw invalidMember('to', `'${goal}' lies in '${old}' itself.`);
  const byPath = new Map(all.map(document => [document.path, document]));
  const moving: LinkedDocument[] = [];
  const staying: MoveReport['staying'][number][] = [];
  for await (const { path } of source.vfs.list(`${old}/`)) {
    const document = byPath.get(path);
    if (document?.kind === 'document' || document?.kind === 'page') moving.push(document);
    else
      staying.push({
        path,
        reason: document === undefined ? 'it is no document: move it by hand' : notWritable(document.kind as 'ordinary'),
      });
  }
  if (moving.length === 0) throw new VaultError('not_found', { path: from }, `There is no document at '${from}', and none below it.`);
  return { pairs: pairsOf(moving, path => goal + path.slice(old.length)), staying };
};

const pairsOf = (documents: readonly LinkedDocument[], goal: (path: string) => string): readonly Pair[] => {
  const records = documents.filter(({ appendOnly }) => appendOnly);
  if (records.length > 0) {
    const which = records.map(({ path, type }) => `'${path}' (${type})`).join(', ');
    const issues = records.map(({ path }) => ({ field: 'from', issue: `'${path}' only ever grows by appending and cannot be deleted` }));
    throw new VaultError('validation_failed', { issues }, `${which} can be created but never deleted, so it cannot move.`);
  }
  const broken = documents.find(({ kind }) => kind !== 'document' && kind !== 'page');
  if (broken !== undefined) {
    const issue = `'${broken.path}' cannot move: ${notWritable(broken.kind as 'ordinary')}.`;
    throw new VaultError('validation_failed', { issues: [{ field: 'from', issue }] }, issue);
  }
  return documents.map(document => ({ document, to: goal(document.path) }));
};

const movable = async (source: LinkSource, { document, to }: Pair, principal: Principal): Promise<MovedDocument> => {
  const { path: from, hash } = document;
  if (from === to) throw invalidMember('to', `'${to}' is where it is already.`);
  const refused = checkDocumentPath(to, { creating: true });
  if (refused !== null) throw invalidMember('to', refused);
  if ((document.kind === 'page') !== /(?:^|\/)index\.md$/.test(to)) {
    throw invalidMember('to', "a table of contents is called 'index.md', and nothing else is.");
  }
  const { key, made } = await stepKey(source, document, to, principal);
  if (made === null) await refuseTaken(source, from, to);
  return { from, to, hash, key, made };
};

/**
 * One key for one version of a document on one way: whoever makes an interrupted move again finds what was done. When the document had been made at its new
 * place and was removed from there since, the key is used up, and what the log last said of that place makes another.
 */
const stepKey = async (
  { events, vfs, workspaceId }: LinkSource,
  { path: from, hash }: LinkedDocument,
  to: string,
  principal: Principal,
): Promise<Pick<MovedDocument, 'key' | 'made'>> => {
  const last = await events.lastRecorded(workspaceId, from);
  const basis: (string | null)[] = [workspaceId, principal.id, from, to, hash, last?.event_id ?? null];
  const isThere = (await vfs.read(to)) !== null;
  for (;;) {
    const key = `mv-${hashContent(JSON.stringify(basis)).slice('sha256:'.length)}`;
    const event = await events.findByIdempotencyKey(workspaceId, `${key}-create`);
    if (event === null) return { key, made: null };
    const made = event.action === 'create' && event.subject === to && event.principal.id === principal.id;
    if (isThere) return { key, made: made ? event : null };
    basis.push(event.event_id);
  }
};

const refuseTaken = async ({ vfs }: LinkSource, from: string, to: string): Promise<void> => {
  if ((await vfs.read(to)) !== null)
    throw new VaultError('version_conflict', { path: to }, `'${to}' exists already; nothing is moved over it.`);
  const twin = await vfs.findTwin(to);
  if (twin === null) return;
  const remedy = twin === from ? 'move it to another name first, and from there to this one' : 'choose another name';
  throw invalidMember('to', `'${to}' and '${twin}' would be one file on many systems: ${remedy}.`);
};
