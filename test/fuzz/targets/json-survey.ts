/** Levels of lists and maps in a JSON text, and whether some map has a name twice; the text is JSON. */
export const survey = (text: string): { readonly depth: number; readonly twice: boolean } => {
  const names: (Set<string> | null)[] = [];
  let depth = 0;
  let twice = false;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"(?:[ \t\r\n]*:)?|[[\]{}]/gs)) {
    if (token === '{' || token === '[') depth = Math.max(depth, names.push(token === '{' ? new Set() : null));
    else if (token === '}' || token === ']') names.pop();
    else if (token.endsWith(':')) {
      const name = JSON.parse(token.slice(0, token.lastIndexOf('"') + 1)) as string;
      twice ||= names.at(-1)?.has(name) === true;
      names.at(-1)?.add(name);
    }
  }
  return { depth, twice };
};
