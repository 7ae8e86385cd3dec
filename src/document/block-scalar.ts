import { characters } from './characters.ts';
import { fail, failOnTab, finishLine, isLineEnd, nextLine, passBlanks, type Scanner } from './scanner.ts';

const { space, tab, lineFeed, carriageReturn, plus, dash, zero, nine, greaterThan } = characters;

/** Reads a folded (`>`) or literal (`|`) block whose header starts at `pos`. */
export const readBlockScalar = (scanner: Scanner, parentIndent: number): string => {
  const { text, codes } = scanner;
  const folded = codes[scanner.pos]! === greaterThan;
  const header = readHeader(codes, scanner.pos + 1);
  finishLine(scanner, header.end, "Unexpected text after the block's header; the text starts on the next line.");
  const block = createBlock(folded);
  let indent = header.digit > 0 ? parentIndent + header.digit : -1;
  let widestBlank = 0;
  let pos = scanner.pos;
  while (pos < scanner.end) {
    let content = pos;
    while (codes[content] === space && (indent < 0 || content - pos < indent)) content++;
    const width = content - pos;
    const code = codes[content]!;
    const shallow = indent < 0 ? width <= parentIndent : width < indent;
    // A tab left of the text is no indentation; a line of nothing but white space there is as good as empty.
    if (isLineEnd(code) || (shallow && code === tab && isLineEnd(codes[passBlanks(codes, content)]!))) {
      block.emptyLines++;
      if (width > widestBlank) widestBlank = width;
      pos = nextLine(text, content);
      continue;
    }
    if (shallow) {
      if (code === tab) failOnTab(content);
      break;
    }
    if (indent < 0) {
      if (widestBlank > width) fail('A blank line before the text is wider than the text: give the indentation in the header.', pos);
      indent = width;
    }
    pos = nextLine(text, content);
    addLine(block, text.slice(content, codes[pos - 2]! === carriageReturn ? pos - 2 : pos - 1));
    scanner.pos = pos;
  }
  if (header.chomp === plus) scanner.pos = pos;
  scanner.lastEnd = scanner.pos;
  return endBlock(block, header.chomp);
};

interface Header {
  readonly chomp: number;
  readonly digit: number;
  readonly end: number;
}

/** `+`, `-` and a digit, each at most once, in any order. */
const readHeader = (codes: Uint16Array, from: number): Header => {
  let chomp = 0;
  let digit = 0;
  let end = from;
  for (;;) {
    const code = codes[end]!;
    if ((code === plus || code === dash) && chomp === 0) chomp = code;
    else if (code > zero && code <= nine && digit === 0) digit = code - zero;
    else return { chomp, digit, end };
    end++;
  }
};

interface Block {
  readonly folded: boolean;
  text: string;
  emptyLines: number;
  hasContent: boolean;
  /** The previous line started with white space, so that breaks around it are kept. */
  spaced: boolean;
}

const createBlock = (folded: boolean): Block => ({ folded, text: '', emptyLines: 0, hasContent: false, spaced: false });

const addLine = (block: Block, line: string): void => {
  const code = line.charCodeAt(0);
  const spaced = code === space || code === tab;
  const { emptyLines, hasContent } = block;
  let breaks = hasContent ? emptyLines + 1 : emptyLines;
  let glue = '';
  if (block.folded && hasContent && !spaced && !block.spaced) {
    breaks = emptyLines;
    if (emptyLines === 0) glue = ' ';
  }
  block.text += '\n'.repeat(breaks) + glue + line;
  block.emptyLines = 0;
  block.hasContent = true;
  block.spaced = spaced;
};

const endBlock = (block: Block, chomp: number): string => {
  if (chomp === plus) return block.text + '\n'.repeat(block.hasContent ? block.emptyLines + 1 : block.emptyLines);
  return chomp === dash || !block.hasContent ? block.text : `${block.text}${String.fromCharCode(lineFeed)}`;
};
