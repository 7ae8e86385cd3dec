import type { RenderReply, RenderRequest } from '#adapter-contracts';
import { fixedParts, isWellFormed } from '#document';
import { type FieldIssue, VaultError } from '#errors';
import { recordHeadings } from './render-request.ts';

/**
 * A renderer's answer, if it changed only what it may (§11.9). Throws `validation_failed` naming each control field that it returned, and each link,
 * piece of code or record of the body that is not what it was.
 */
export const checkRenderReply = (reply: unknown, request: RenderRequest, renderer: string): RenderReply => {
  const issues = typeof reply === 'object' && reply !== null && !Array.isArray(reply) ? replyIssues(reply, request) : [notAnObject];
  if (issues.length === 0) return reply as RenderReply;
  const told = issues.map(({ field, issue }) => `${field}: ${issue}`).join(' ');
  throw new VaultError('validation_failed', { issues }, `The renderer '${renderer}' was refused. ${told}`);
};

const notAnObject: FieldIssue = { field: 'reply', issue: 'must be an object with title, description or body.' };
const parts = ['title', 'description', 'body'] as const;

const replyIssues = (reply: object, request: RenderRequest): readonly FieldIssue[] =>
  Object.entries(reply).flatMap(([field, value]: [string, unknown]): readonly FieldIssue[] => {
    const part = parts.find(one => one === field);
    if (part === undefined) return [{ field, issue: 'is not for rendering to change; it may return only title, description and body.' }];
    if (value === undefined) return [];
    if (typeof value !== 'string' || !isWellFormed(value)) return [{ field, issue: 'must be text.' }];
    if (request.text[part] === null) return [{ field, issue: 'is not in the document.' }];
    if (part === 'body') return bodyIssues(value, request);
    return value.trim() === '' || /[\p{Cc}\u2028\u2029]/u.test(value) ? [{ field, issue: 'must be one line of text.' }] : [];
  });

const bodyIssues = (body: string, { control }: RenderRequest): readonly FieldIssue[] => {
  const { links, code } = fixedParts(body);
  return [
    ...difference('the link', control.links, links),
    ...difference('the code', control.code, code),
    ...difference('the record', control.records, recordHeadings(body)),
  ];
};

/** The order may change, as it does between languages; nothing may be lost or added. */
const difference = (what: string, before: readonly string[], after: readonly string[]): readonly FieldIssue[] => {
  const left = [...after];
  const lost: string[] = [];
  for (const one of before) {
    const at = left.indexOf(one);
    if (at < 0) lost.push(one);
    else left.splice(at, 1);
  }
  return [
    ...lost.map(one => ({ field: 'body', issue: `${what} '${excerpt(one)}' is not what it was.` })),
    ...left.map(one => ({ field: 'body', issue: `${what} '${excerpt(one)}' was not there.` })),
  ];
};

const excerpt = (text: string): string => (text.length > 80 ? `${text.slice(0, 80).toWellFormed()}…` : text);
