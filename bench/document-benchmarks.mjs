import yaml from 'js-yaml';
import { parseDocument, patchDocument } from '#document';
import { generateDocument } from './generate-vault.mjs';
import { paired, timed } from './measure.mjs';

const texts = Array.from({ length: 2000 }, (_, index) => generateDocument(index, 2000).content);
const split = text => {
  const end = text.indexOf('\n---\n', 4);
  return { head: text.slice(4, end + 1), body: text.slice(end + 5) };
};

const perDocument = async work =>
  (await timed(() => {
    for (const text of texts) work(text);
  })) / texts.length;

/** Our strict parser against js-yaml on the same frontmatter. */
export const documentParse = ({ repetitions }) =>
  paired({
    repetitions,
    ours: () => perDocument(text => parseDocument(text)),
    other: () => perDocument(text => yaml.load(split(text).head)),
  });

/** A byte-preserving patch of one key against js-yaml's load and dump of the block. */
export const documentPatch = ({ repetitions }) =>
  paired({
    repetitions,
    ours: () => perDocument(text => patchDocument(parseDocument(text).document, { title: 'A new title' }, 'replace')),
    other: () =>
      perDocument(text => {
        const { head, body } = split(text);
        return `---\n${yaml.dump({ ...yaml.load(head), title: 'A new title' })}---\n${body}`;
      }),
  });
