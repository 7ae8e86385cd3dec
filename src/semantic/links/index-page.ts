import { encodeAddress, hashContent } from '#document';

/** A document in a table of contents. */
export interface ListedDocument {
  readonly path: string;
  readonly title: string;
  readonly description: string | null;
}

export interface IndexPage {
  readonly path: string;
  readonly text: string;
}

/**
 * The pages `index.md` for `directory` (`''` is the vault) and every directory below it that holds listed documents (§4.3): sub-directories and documents in
 * path order, absolute links, the same bytes for the same documents.
 */
export const indexPages = (documents: readonly ListedDocument[], directory: string): readonly IndexPage[] => {
  const listed = new Map<string, ListedDocument[]>([[directory, []]]);
  const children = new Map<string, Set<string>>();
  for (const document of documents) {
    const home = parentOf(document.path);
    const own = listed.get(home);
    if (own === undefined) listed.set(home, [document]);
    else own.push(document);
    for (let at = home; at !== directory && at !== ''; at = parentOf(at)) {
      const parent = parentOf(at);
      children.set(parent, (children.get(parent) ?? new Set()).add(at));
      if (!listed.has(parent)) listed.set(parent, []);
    }
  }
  return [...listed]
    .filter(([at, own]) => own.length > 0 || (children.get(at)?.size ?? 0) > 0)
    .map(([at, own]) => page(at, own, [...(children.get(at) ?? [])]))
    .sort(byPath);
};

const parentOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf('/'), 0));

const byPath = (left: { readonly path: string }, right: { readonly path: string }): number => (left.path < right.path ? -1 : 1);

const page = (directory: string, documents: readonly ListedDocument[], directories: readonly string[]): IndexPage => {
  const lines = [
    `# ${escaped(directory === '' ? '/' : directory)}`,
    '',
    ...directories.toSorted().map(at => `- [${escaped(`${at.slice(at.lastIndexOf('/') + 1)}/`)}](/${address(`${at}/index.md`)})`),
    ...documents.toSorted(byPath).map(({ path, title, description }) => {
      const said = description === null || description === '' ? '' : `: ${escaped(description)}`;
      return `- [${escaped(isVisible(title) ? title : nameOf(path))}](/${address(path)})${said}`;
    }),
    '',
  ];
  const body = lines.join('\n');
  return { path: directory === '' ? 'index.md' : `${directory}/index.md`, text: `${mark(body)}\n${body}` };
};

const mark = (body: string): string =>
  `<!-- sheaf toc ${digest(body)}: made from the documents here; a page that was edited is left alone -->`;

const digest = (body: string): string => hashContent(body).slice('sha256:'.length, 'sha256:'.length + 16);

/** Whether a page was made by `indexPages` and not edited since; line endings do not count, because git may change them. */
export const isGeneratedPage = (text: string): boolean => {
  const [first = '', ...rest] = text.replaceAll('\r\n', '\n').split('\n');
  return /^<!-- sheaf toc [0-9a-f]{16}: /.test(first) && first === mark(rest.join('\n'));
};

/** A generated page whose links were rewritten is still a generated one. */
export const remarkedPage = (before: string, after: string): string => {
  if (before === after || !isGeneratedPage(before)) return after;
  const [, ...rest] = after.split('\n');
  return [mark(rest.join('\n').replaceAll('\r\n', '\n')) + (/\r\n/.test(after) ? '\r' : ''), ...rest].join('\n');
};

/** A link without a text could not be followed. */
const isVisible = (text: string): boolean => /[^\s\p{Default_Ignorable_Code_Point}\p{Cf}]/u.test(text);

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/, '');

const address = (path: string): string => path.split('/').map(encodeAddress).join('/');

/** On one line, and nothing in it that Markdown would read. */
const escaped = (text: string): string =>
  text
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/[\\`*_[\]<>|&#~$]/g, character => `\\${character}`);
