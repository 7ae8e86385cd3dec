import { z } from 'zod';
import type { Principal } from '#adapter-contracts';
import { defineCall } from '../call.ts';
import type { LinkReader, LinkWriter } from '../links/vault-links.ts';
import { callerPrincipal, mayRead, requireCapabilities, surveyingCaller } from '../read-rights.ts';
import { readVisible, refuseUnsafePath } from '../read-visible.ts';
import type { Vault } from '../vault.ts';
import {
  contentsShape,
  flowShape,
  linkChangesShape,
  linkProblemShape,
  linkRowShape,
  mentionShape,
  moveShape,
  pathsShape,
} from './link-shapes.ts';

/** Shows only what the principal may read; documents that do not travel only when asked for by who may search them (§11.9). */
const readerFor = (vault: Vault, principal: Principal, wantsPrivate: boolean): LinkReader => {
  if (wantsPrivate) requireCapabilities(principal, ['search:private'], 'see the links of private documents');
  return { mayRead: type => mayRead(principal, vault.registry, type), private: wantsPrivate };
};

export const writerFor = (
  principal: Principal,
  input: { readonly dry_run?: boolean | undefined; readonly correlation_id?: string | undefined },
): LinkWriter => ({
  principal,
  ...(input.dry_run === undefined ? {} : { dryRun: input.dry_run }),
  ...(input.correlation_id === undefined ? {} : { correlationId: input.correlation_id }),
});

const refuseUnsafePaths = (paths: readonly string[] | undefined): void => {
  for (const path of paths ?? []) refuseUnsafePath('paths', path.replace(/\/+$/, ''));
};

export const showLinks = defineCall({
  name: 'links.show',
  summary: 'The links of one document in both directions, and those that lead nowhere.',
  input: z.strictObject({ path: z.string().min(1), private: z.boolean().optional() }),
  output: z.object({
    path: z.string(),
    outgoing: z.array(linkRowShape.extend({ path: z.string() })).readonly(),
    backlinks: z.array(linkRowShape.extend({ path: z.string() })).readonly(),
    unresolved: z.array(linkRowShape.extend({ candidates: z.array(z.string()).readonly() })).readonly(),
  }),
  handler: async (vault, caller, { path, private: wantsPrivate = false }) => {
    const principal = callerPrincipal(vault, caller);
    const reader = readerFor(vault, principal, wantsPrivate);
    await readVisible(vault, principal, path);
    return (await vault.links.of(path, reader)) ?? { path, outgoing: [], backlinks: [], unresolved: [] };
  },
});

export const checkLinks = defineCall({
  name: 'links.check',
  summary: 'Every link that leads nowhere or may be taken for another, with its place.',
  input: z.strictObject({ paths: pathsShape }),
  output: z.object({ sound: z.boolean(), documents: z.number().int(), problems: z.array(linkProblemShape).readonly() }),
  handler: (vault, caller, { paths }) => {
    surveyingCaller(vault, caller, 'check the links of the vault');
    refuseUnsafePaths(paths);
    return vault.links.check(paths);
  },
});

export const fixLinks = defineCall({
  name: 'links.fix',
  summary: 'Repair links that can have meant one document only; each change is an envelope of the caller.',
  input: z.strictObject({ paths: pathsShape, ...flowShape }),
  output: z.object({ dry_run: z.boolean(), changes: linkChangesShape, remaining: z.array(linkProblemShape).readonly() }),
  handler: (vault, caller, { paths, ...flow }) => {
    const principal = surveyingCaller(vault, caller, 'repair the links of the vault');
    refuseUnsafePaths(paths);
    return vault.links.fix(paths ?? null, writerFor(principal, flow));
  },
});

export const suggestLinks = defineCall({
  name: 'links.suggest',
  summary: 'Mentions of titles and aliases in prose that could be links.',
  input: z.strictObject({ paths: pathsShape }),
  output: z.object({ mentions: z.array(mentionShape).readonly() }),
  handler: async (vault, caller, { paths }) => {
    const principal = callerPrincipal(vault, caller);
    refuseUnsafePaths(paths);
    return { mentions: await vault.links.suggest(paths, readerFor(vault, principal, false)) };
  },
});

export const applyLinks = defineCall({
  name: 'links.apply',
  summary: 'Make suggested mentions links; each change is an envelope of the caller.',
  input: z.strictObject({ paths: pathsShape, ...flowShape }),
  output: z.object({ dry_run: z.boolean(), changes: linkChangesShape }),
  handler: (vault, caller, { paths, ...flow }) => {
    const principal = callerPrincipal(vault, caller);
    refuseUnsafePaths(paths);
    return vault.links.apply(paths ?? null, writerFor(principal, flow), readerFor(vault, principal, false));
  },
});

export const moveDocument = defineCall({
  name: 'document.move',
  summary: 'Give a document or a directory another path, and every link to it; each step is an envelope of the caller.',
  input: z.strictObject({ from: z.string().min(1), to: z.string().min(1), ...flowShape }),
  output: moveShape,
  // Whoever does not see a document cannot be told that it has a link, and a link that is not rewritten breaks.
  handler: (vault, caller, { from, to, ...flow }) =>
    vault.links.move(from, to, writerFor(surveyingCaller(vault, caller, 'move documents'), flow)),
});

export const writeContents = defineCall({
  name: 'toc.write',
  summary: 'Write index.md for a directory and those below it, from public documents alone.',
  input: z.strictObject({ directory: z.string().optional(), force: z.boolean().optional(), ...flowShape }),
  output: z.object({ pages: contentsShape }),
  handler: async (vault, caller, { directory = '', force, ...flow }) => {
    const principal = callerPrincipal(vault, caller);
    const at = directory.replace(/\/+$/, '');
    if (at !== '') refuseUnsafePath('directory', at);
    const types = vault.registry.documentTypes.filter(({ portability }) => portability === 'structural');
    // A page says the same whoever writes it, so it must not tell its writer what they may not read.
    const needed = types
      .filter(({ qualified }) => !mayRead(principal, vault.registry, qualified))
      .map(({ qualified }) => `${qualified}:read`);
    requireCapabilities(principal, needed, 'write tables of contents');
    return { pages: await vault.links.writeContents(at, { ...writerFor(principal, flow), ...(force === undefined ? {} : { force }) }) };
  },
});
