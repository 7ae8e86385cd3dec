import { randomBytes } from 'node:crypto';

/** Text of the vault, ready to stand in a reply. */
export interface UntrustedBlock {
  readonly text: string;
  /** How many places looked like one of our markers and were replaced. */
  readonly defanged: number;
}

/**
 * Puts stored text between two markers that it cannot forge: their id is random for each reply, and whatever looks like a marker inside, in any
 * letter case, with invisible characters, in other scripts or as HTML entities, is replaced (mcp: replies). The closing marker is added last, so
 * cutting the text before never loses it.
 */
export const untrustedBlock = (stored: string): UntrustedBlock => {
  const id = randomBytes(8).toString('hex');
  const { text, defanged } = defang(stored);
  return { text: `<untrusted id="${id}">\n${text}\n</untrusted id="${id}">`, defanged };
};

const replacement = '(marker removed)';

/** Replaces everything that a reader could take for one of our markers; the rest stays exactly as it is. */
export const defang = (stored: string): UntrustedBlock => {
  const { folded, places } = fold(stored);
  let text = '';
  let copied = 0;
  let defanged = 0;
  for (const match of folded.matchAll(markerLike)) {
    const start = places[match.index] ?? 0;
    const end = places[match.index + match[0].length] ?? stored.length;
    text += stored.slice(copied, start) + replacement;
    copied = end;
    defanged += 1;
  }
  return { text: text + stored.slice(copied), defanged };
};

// Opening brackets that look like `<` after compatibility folding, and its HTML entities; then slashes, then our word.
const markerLike = /(?:[<‹«˂≺⟨〈《❬❮❰⧼ᐸ𝈶]|&lt;?|&#0*60;?|&#x0*3c;?|\\u003c|\\x3c)[/\\⁄∕⧸]*untrusted/gu;

/** Letters of other scripts that look like those of our word; compatibility folding does not join them. */
const lookalikes = new Map(
  Object.entries({
    u: 'υսᴜцս',
    n: 'ոпɴռ',
    t: 'тτᴛ',
    r: 'гʀᴦ',
    s: 'ѕꜱ',
    e: 'еєᴇҽ',
    d: 'ԁᴅժ',
  }).flatMap(([letter, others]) => Array.from(others, other => [other, letter] as const)),
);

const ignorable = /^[\p{C}\p{M}\p{Z}\p{Pd}\p{Pc}\s]+$/u;

/** The text as a careless reader sees it, and for each of its code units where it came from. */
const fold = (text: string): { readonly folded: string; readonly places: readonly number[] } => {
  let folded = '';
  const places: number[] = [];
  let place = 0;
  for (const character of text) {
    for (const seen of foldedCharacter(character)) {
      folded += seen;
      for (let unit = 0; unit < seen.length; unit += 1) places.push(place);
    }
    place += character.length;
  }
  places.push(text.length);
  return { folded, places };
};

const foldedCharacter = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  if (code > 0x20 && code < 0x7f && character !== '-' && character !== '_') return character.toLowerCase();
  const plain = character.normalize('NFKD').toLowerCase();
  let seen = '';
  for (const part of plain) if (!ignorable.test(part)) seen += lookalikes.get(part) ?? part;
  return seen;
};
