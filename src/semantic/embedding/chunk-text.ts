/** What one vector may stand for, in estimated tokens: most embedding models read 512 and drop the rest in silence. */
const chunkCost = 400;
const titleCost = 60;
/** Vectors per document; what stands behind them of a very long text is found by its words alone. */
const mostChunks = 64;
/** More than that never becomes a chunk, so nothing longer is looked at. */
const mostCharacters = mostChunks * chunkCost * 4;

/**
 * A document's text in pieces that an embedding model can read whole: cut between lines, then sentences, then words, and within a word only between
 * graphemes. The title stands in front of every piece, because a piece alone often does not say what it is about. Never empty, and no piece is.
 */
export const chunkText = (title: string, text: string): readonly string[] => {
  const head = cutTo(title.trim(), titleCost);
  const pieces = packed(fitting(text.slice(0, mostCharacters).toWellFormed(), 0), chunkCost - estimatedTokens(head)).slice(0, mostChunks);
  const chunks = pieces.map((piece, index) => (index === 0 && piece.startsWith(head) ? piece : `${head}\n${piece}`.trim()));
  return chunks.length === 0 ? [head === '' ? '-' : head] : chunks;
};

/** Roughly what a tokeniser makes of a text: four Latin letters to a token, two of other alphabets, one sign of scripts that write no spaces. */
export const estimatedTokens = (text: string): number => {
  let quarters = 0;
  for (const letter of text) {
    const code = letter.codePointAt(0) ?? 0;
    quarters += code < 0x80 ? 1 : code < 0x0e00 ? 2 : 4;
  }
  return quarters / 4;
};

const granularities = ['line', 'sentence', 'word', 'grapheme', 'character'] as const;

/** Parts of the text in order, each small enough; nothing is lost, line ends stay with their lines. */
const fitting = (text: string, level: number): readonly string[] => {
  const granularity = granularities[level];
  if (granularity === undefined || estimatedTokens(text) <= chunkCost - titleCost) return text === '' ? [] : [text];
  return partsOf(text, granularity).flatMap(part => fitting(part, level + 1));
};

const partsOf = (text: string, granularity: (typeof granularities)[number]): readonly string[] => {
  if (granularity === 'line') return text.split(/(?<=\n)/);
  // A single grapheme may be made of endlessly many signs.
  if (granularity === 'character') return Array.from(text);
  const segmenter = new Intl.Segmenter(undefined, { granularity });
  return windowsOf(text).flatMap(window => Array.from(segmenter.segment(window), ({ segment }) => segment));
};

/** A segmenter takes time that grows with the square of the text: a line of 100,000 letters would hold a server up for ten seconds. */
const windowLength = 2_000;

/** The text in stretches, cut where a character as people see it begins, as far as one begins near. */
const windowsOf = (text: string): readonly string[] => {
  const windows: string[] = [];
  for (let from = 0; from < text.length; ) {
    const end = from + windowLength;
    const tail = end >= text.length ? '' : text.slice(end - 100, end + 100);
    const cut = tail === '' ? text.length : end - 100 + (graphemes.segment(tail).containing(100)?.index ?? 100);
    windows.push(text.slice(from, cut));
    from = cut;
  }
  return windows;
};

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

const packed = (parts: readonly string[], budget: number): readonly string[] => {
  const chunks: string[] = [];
  let held: string[] = [];
  let cost = 0;
  const close = (): void => {
    const chunk = held.join('').trim();
    if (chunk !== '') chunks.push(chunk);
    held = [];
    cost = 0;
  };
  for (const part of parts) {
    const more = estimatedTokens(part);
    if (cost + more > budget) close();
    held.push(part);
    cost += more;
    if (chunks.length === mostChunks) break;
  }
  close();
  return chunks;
};

const cutTo = (text: string, cost: number): string => {
  if (estimatedTokens(text) <= cost) return text;
  let cut = '';
  let spent = 0;
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)) {
    spent += estimatedTokens(segment);
    if (spent > cost) break;
    cut += segment;
  }
  return cut;
};
