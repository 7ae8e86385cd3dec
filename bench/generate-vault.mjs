// A vault of any size, the same for the same seed: memories, rules, tasks and threads of realistic length with links between them.
// `node bench/generate-vault.mjs DIR COUNT [SEED]` writes the files of a vault that `sheaf adopt` or any reader can take.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const words =
  'order parts wheel brake customer repair morning invoice supplier chain rental bicycle deposit season helmet tyre workshop review delivery note weather route saddle delay refund'.split(
    ' ',
  );

/** A small deterministic generator (mulberry32): equal seeds give equal vaults. */
export const createRandom = seed => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
};

const sentence = (random, length) => Array.from({ length }, () => words[Math.floor(random() * words.length)]).join(' ');

const body = (random, count) => {
  const paragraphs = Array.from({ length: 2 + Math.floor(random() * 4) }, () => `${sentence(random, 20 + Math.floor(random() * 40))}.`);
  const other = Math.floor(random() * count);
  return `\n${paragraphs.join('\n\n')}\n\nSee [[${documentAt(other).slug}]].\n`;
};

const kinds = ['memory', 'memory', 'memory', 'rule', 'task', 'thread'];
const folders = { memory: 'memory/facts', rule: 'rules', task: 'tasks', thread: 'threads' };

const documentAt = index => {
  const type = kinds[index % kinds.length];
  const slug = `${type}-${String(index).padStart(6, '0')}`;
  return { type, slug, path: `${folders[type]}/${String(index % 97).padStart(2, '0')}/${slug}.md` };
};

const ownFields = {
  memory: (random, slug) =>
    `slug: ${slug}\ncategory: facts\nstatus: active\nschema_version: 2\nconfidence: 0.${10 + Math.floor(random() * 89)}\nimportance: ${1 + Math.floor(random() * 5)}\nmodality: descriptive\nsubject: shop\npredicate: knows\nobject: ${words[Math.floor(random() * words.length)]}\nsentiment_polarity: descriptive\n`,
  rule: (_random, slug) => `name: "${slug}"\nscope: workshop\n`,
  task: random => `priority: ${Math.floor(random() * 100)}\ncategory: workshop\nstatus: pending\n`,
  thread: (_random, slug) => `thread_id: ${slug}\nstatus: active\n`,
};

/** One document: vault path and full text. */
export const generateDocument = (index, count, seed = 1) => {
  const random = createRandom(seed * 1_000_003 + index);
  const { type, slug, path } = documentAt(index);
  const head = `---\ntype: ${type}\ntitle: "${sentence(random, 4)}"\ndescription: "${sentence(random, 9)}."\ntimestamp: 2026-05-16T14:00:00Z\ntags: [${words[index % words.length]}, shop]\n`;
  return { path, content: `${head}${ownFields[type](random, slug)}---\n${body(random, count)}` };
};

/** Writes `count` documents below `root` without a log, as a folder of notes from elsewhere would arrive. */
export const writeGeneratedVault = (root, count, seed = 1) => {
  for (let index = 0; index < count; index++) {
    const { path, content } = generateDocument(index, count, seed);
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [root, count = '10000', seed = '1'] = process.argv.slice(2);
  if (!root) {
    console.error('usage: node bench/generate-vault.mjs DIR [COUNT] [SEED]');
    process.exit(2);
  }
  writeGeneratedVault(root, Number(count), Number(seed));
}
