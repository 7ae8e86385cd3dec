import { type Move, movedLinks, rewriteFile } from '#semantic';
import { type CurrentFile, type PlannedChange, unchangeable } from './change-document.ts';
import type { LinkSource } from './link-source.ts';
import type { LinkEdit } from './vault-links.ts';

/** A file with every link written for the time after the move; its own relative links too, when it moves itself. */
export const movedText = ({ registry }: Pick<LinkSource, 'registry'>, { document, parsed }: CurrentFile, move: Move): PlannedChange => {
  const { targets } = unchangeable(document) === null ? movedLinks(document, move) : { targets: new Map<number, string>() };
  const definition = document.type === null ? null : registry.resolve(document.type);
  const { patches, text } = rewriteFile(document.path, parsed, definition, { targets, newPath: move.newPath });
  const links = document.links
    .filter(link => targets.has(link.start))
    .map(({ line, target, start }): LinkEdit => ({ line, from: target, to: targets.get(start) ?? target }));
  const fields = document.fields.flatMap(({ line, path }): LinkEdit[] => {
    const to = document.kind === 'document' ? move.newPath(path) : null;
    return to === null ? [] : [{ line, from: path, to }];
  });
  return { patches, text, edits: [...fields, ...links] };
};
