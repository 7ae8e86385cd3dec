import type { TextRange } from './markdown-blocks.ts';

/** Elements whose text is code, a link, or no text at all. */
const closedElements = 'a|button|code|kbd|math|pre|samp|script|select|style|svg|textarea|title|tt|var';

/** Elements that begin a block of HTML, in which Markdown is not read (CommonMark, HTML blocks). */
const blockElements =
  'address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul';

const opening = new RegExp(`<(${closedElements})(?:\\s[^<>]*)?>`, 'gi');
const blockStart = new RegExp(`^[ \\t>]*(?:(?:[-+*]|\\d{1,9}[.)])[ \\t]+)*<(?:[!?]|/?(?:${blockElements})(?=[\\s/>]|$))`, 'im');
/** A tag alone on the first line begins a block as well. */
const tagAlone = /^<\/?[a-z][a-z\d-]*(?=[\s/>])[^<>]*>[ \t\r]*(?:\n|$)/i;

/** What of one block of text is HTML in which nothing may be put: `html` from there to its end, and elements that hold no prose. */
export const htmlRanges = (source: string): { readonly html: number | null; readonly elements: readonly TextRange[] } => {
  const html = tagAlone.test(source) ? 0 : (blockStart.exec(source)?.index ?? null);
  const elements: TextRange[] = [];
  opening.lastIndex = 0;
  for (let match = opening.exec(source); match !== null; match = opening.exec(source)) {
    const closing = new RegExp(`</${match[1]}\\s*>`, 'gi');
    closing.lastIndex = opening.lastIndex;
    const end = closing.exec(source) === null ? source.length : closing.lastIndex;
    elements.push({ start: match.index, end });
    opening.lastIndex = end;
  }
  return { html, elements };
};
