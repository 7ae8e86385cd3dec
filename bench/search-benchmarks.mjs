import Database from 'better-sqlite3';
import MiniSearch from 'minisearch';
import { hashContent, parseDocument } from '#document';
import { composeRegistry } from '#registry';
import { createSearchProjection, documentFacts, parseQuery, searchWords, wordsOfText } from '#semantic';
import { paired, timed } from './measure.mjs';

const registry = composeRegistry({ extensions: [] });
const batch = 500;

/** A generator that gives the same numbers in every run. */
const seeded = seed => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let value = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
  return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
};

const syllables = ['ba', 'ke', 'lo', 'mi', 'nu', 'ra', 'se', 'ti', 'vo', 'zu', 'dra', 'pli', 'gon', 'ter', 'mal', 'sch'];
const han = '会議日程変更記得修改密码安全更新配置部屋予定火曜来週'.split('');

/** The `rank`-th word of the vocabulary; one in twelve with a letter beyond ASCII. */
const word = rank => {
  let text = '';
  for (let left = rank + 20; left > 0; left = Math.floor(left / 16)) text += syllables[left % 16];
  return rank % 12 === 7 ? `${text}ü` : text;
};

/** Texts whose words are as unevenly spread as in a language: 120 words each, one document in ten with a line of Japanese or Chinese. */
const makeFiles = count => {
  const random = seeded(7);
  const some = length => Array.from({ length }, () => word(Math.floor(30_000 ** random()) - 1));
  return Array.from({ length: count }, (_, index) => {
    const line = index % 10 === 0 ? Array.from({ length: 40 }, () => han[Math.floor(random() * han.length)]).join('') : '';
    const text = `---\ntype: rule\nname: n\ntitle: ${some(4).join(' ')}\ndescription: ${some(8).join(' ')}\ntimestamp: 2026-05-16T14:00:00Z\ntags: [${some(2).join(', ')}]\n---\n${some(120).join(' ')}\n${line}\n`;
    return { path: `rules/r${index}.md`, text };
  });
};

const changeOf = ({ path, text }) => ({
  path,
  file: { kind: 'markdown', path, hash: hashContent(text), parsed: parseDocument(text) },
});

const buildOurs = files => {
  const db = new Database(':memory:');
  const projection = createSearchProjection(registry);
  projection.create(db);
  const apply = db.transaction(changes => projection.apply(db, changes));
  for (let at = 0; at < files.length; at += batch) apply(files.slice(at, at + batch).map(changeOf));
  return db;
};

/** MiniSearch with the facts and the tokens that ours is made of. */
const buildOther = files => {
  const index = new MiniSearch({
    idField: 'path',
    fields: ['title', 'names', 'description', 'tags', 'body'],
    tokenize: wordsOfText,
    processTerm: term => term,
  });
  for (const file of files) {
    const facts = documentFacts(changeOf(file).file, registry);
    index.add({
      path: facts.path,
      title: facts.title,
      names: facts.aliases.join(' '),
      description: facts.description,
      tags: facts.tags.join(' '),
      body: facts.body,
    });
  }
  return index;
};

/** From the text of the files to an index that answers. */
export const searchBuild = ({ repetitions, documents }) => {
  const files = makeFiles(documents);
  return paired({
    repetitions,
    ours: () => timed(() => void buildOurs(files).close()),
    other: () => timed(() => void buildOther(files)),
  });
};

/** Common words and rare ones, alone, together, and in Chinese; finished, so that both sides look for whole words. */
const questions = [0, 3, 15, 60, 250, 1000, 4000].flatMap(rank => [
  `${word(rank)} `,
  `${word(rank)} ${word(rank + 5)} `,
  `${word(rank)} ${word(2)} ${word(40)} `,
]);

/** The twenty best documents for each question, all words required. */
export const searchQuery = async ({ repetitions, documents }) => {
  const files = makeFiles(documents);
  const [db, index] = [buildOurs(files), buildOther(files)];
  const scope = { private: false };
  const boost = { title: 8, names: 6, description: 3, tags: 4 };
  const perQuestion = async ask => (await timed(() => questions.forEach(ask))) / questions.length;
  try {
    return await paired({
      repetitions,
      ours: () => perQuestion(text => searchWords(db, { query: parseQuery(text), scope, offset: 0, limit: 20, feedback: true })),
      other: () => perQuestion(text => index.search(text, { combineWith: 'AND', prefix: false, fuzzy: false, boost }).slice(0, 20)),
    });
  } finally {
    db.close();
  }
};
