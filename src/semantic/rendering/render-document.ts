import type { InvariantControl, Renderer, RenderReply } from '#adapter-contracts';
import { type Document, parseDocument, patchDocument, sameValue } from '#document';
import { reasonOf, VaultError } from '#errors';
import { applyTerminology, replaceTerms } from './apply-terminology.ts';
import { checkRenderReply } from './check-reply.ts';
import { type LanguageConvention, plainConvention, sameLanguage } from './language-convention.ts';
import { type PresentedField, presentFields } from './present-fields.ts';
import { controlBlock, type RenderSource, renderRequest } from './render-request.ts';

/** A document as it is shown in a language; never stored (§11.7). */
export interface RenderedDocument {
  readonly path: string;
  /** Of the stored bytes. */
  readonly hash: string;
  readonly language: string;
  /** The language of its words now; null where the document does not say. */
  readonly text_language: string | null;
  /** The convention that was used. */
  readonly convention: string | null;
  /** The renderer that was used; null where only dates, sums and words were put in form. */
  readonly renderer: string | null;
  /** The document's text with title, description and body as rendered, and presented fields as comments behind their values. */
  readonly content: string;
  readonly presented: readonly PresentedField[];
  readonly control: InvariantControl;
}

interface RenderOptions {
  readonly language: string;
  readonly convention: LanguageConvention | null;
  readonly renderer: Renderer | null;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Presents a document in a language (§11.7, §11.9). With a renderer its words are rendered, and checked; without one the convention's formats and words
 * are applied and the text stays in its language. The control block is the same before and after.
 */
export const renderDocument = async (source: RenderSource, options: RenderOptions): Promise<RenderedDocument> => {
  const { language, convention, renderer } = options;
  const request = renderRequest(source, language, convention);
  const reply = renderer === null ? overlay(request, convention) : await askRenderer(renderer, request, options.signal);
  const { parsed } = source;
  const presented = parsed.kind === 'document' ? presentFields(parsed.document.data, convention ?? plainConvention(language)) : [];
  const content = parsed.kind === 'document' ? withPresented(withReply(parsed.document, reply), presented) : (reply.body ?? parsed.text);
  assertControl(source, content);
  return {
    path: source.path,
    hash: source.hash,
    language,
    text_language: renderer === null ? request.source_language : language,
    convention: convention?.path ?? null,
    renderer: renderer?.id ?? null,
    content,
    presented,
    control: request.control,
  };
};

const askRenderer = async (
  renderer: Renderer,
  request: Parameters<Renderer['render']>[0],
  signal: AbortSignal | undefined,
): Promise<RenderReply> => {
  let reply: unknown;
  try {
    reply = await renderer.render(request, signal === undefined ? {} : { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw new VaultError('internal_error', {}, `The renderer '${renderer.id}' failed: ${reasonOf(error)}`, { cause: error });
  }
  return checkRenderReply(reply, request, renderer.id);
};

/** Words of a convention belong to its language; a text in another one has none of them. */
const overlay = (request: Parameters<Renderer['render']>[0], convention: LanguageConvention | null): RenderReply => {
  const { title, description, body } = request.text;
  const foreign = request.source_language !== null && convention !== null && !sameLanguage(request.source_language, convention.language);
  if (convention === null || foreign) return {};
  return {
    ...(title === null ? {} : { title: replaceTerms(title, convention) }),
    ...(description === null ? {} : { description: replaceTerms(description, convention) }),
    body: applyTerminology(body, convention),
  };
};

const withReply = (document: Document, { title, description, body }: RenderReply): Document =>
  patchDocument(
    document,
    {
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
      ...(body === undefined ? {} : { __body__: body }),
    },
    'replace',
  );

/** Comments keep the values what they are. An entry of several lines, or one with a comment of its own, is left alone. */
const withPresented = ({ text, layout }: Document, presented: readonly PresentedField[]): string => {
  let result = '';
  let from = 0;
  for (const { key, start, end, commentAt } of layout.entries) {
    const field = presented.find(one => one.field === key);
    const line = text.slice(start, end).trimEnd();
    if (field === undefined || commentAt >= 0 || line.includes('\n')) continue;
    result += `${text.slice(from, start + line.length)}  # ${field.text}`;
    from = start + line.length;
  }
  return result + text.slice(from);
};

/** The last word: whatever was done above, control is what it was. */
const assertControl = (source: RenderSource, content: string): void => {
  const after = controlBlock({ ...source, parsed: parseDocument(content) });
  const before = controlBlock(source);
  const field = Object.keys({ ...before.fields, ...after.fields }).find(
    key => !sameValue((before.fields[key] ?? null) as never, (after.fields[key] ?? null) as never),
  );
  if (field !== undefined) throw new VaultError('internal_error', {}, `Rendering would have changed '${field}' of '${source.path}'.`);
};
