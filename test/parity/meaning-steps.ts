import { operation, rule, type Step, step, submit } from './step.ts';

export const meaning: readonly Step[] = [
  step('the embedding model', 'person', 'index.embedder', {}, 'done'),
  step('the embedding model without the right', 'clerk', 'index.embedder', {}, 'forbidden'),
  step('an embedding', 'person', 'index.embed', {}, 'done'),
  step('an embedding of nothing new', 'person', 'index.embed', {}, 'done'),
  step('an embedding without the right', 'clerk', 'index.embed', {}, 'forbidden'),
  step('an embedding by nobody', 'nobody', 'index.embed', {}, 'unauthorized'),
  step('the embedding model, level', 'person', 'index.embedder', {}, 'done'),
  // Where nobody can make the vectors, there is nothing to compare.
  { ...step('a search by meaning', 'person', 'search.query', { q: 'new bicycle' }, 'done'), needs: 'index.embed' },
];

const opposed = (slug: string, modality: string, polarity: string): string =>
  `---\ntype: memory\ntitle: ${slug}\ndescription: D\ntimestamp: "2026-05-16T14:00:00Z"\nslug: ${slug}\ncategory: facts\nstatus: proposed\nschema_version: 2\nconfidence: 1\nimportance: 3\nmodality: ${modality}\nsubject: shop\npredicate: opens\nobject: sunday\nsentiment_polarity: ${polarity}\n---\n`;

export const careOfLinks: readonly Step[] = [
  submit(
    'a document with links',
    operation('l1', 'notes/l.md', rule('l', '[[a]] [x](/rules/A.md) [y](/rules/none.md) [z](/rules/a)')),
    'done',
  ),
  submit('a document with a mention', operation('l2', 'notes/m.md', rule('mention', 'Other things.')), 'done'),
  step('the links of a document', 'person', 'links.show', { path: 'notes/l.md' }, 'done'),
  step('the links of a document one may read', 'clerk', 'links.show', { path: 'rules/a.md' }, 'done'),
  step('the links of private documents without the right', 'clerk', 'links.show', { path: 'rules/a.md', private: true }, 'forbidden'),
  step('the links of a hidden document', 'clerk', 'links.show', { path: 'memory/m.md' }, 'forbidden'),
  step('a check of links', 'person', 'links.check', { paths: ['notes/'] }, 'done'),
  step('a check of links without the right', 'clerk', 'links.check', {}, 'forbidden'),
  step('planned repairs', 'person', 'links.fix', { paths: ['notes/'], dry_run: true }, 'done'),
  step('repairs', 'person', 'links.fix', { paths: ['notes/'] }, 'done'),
  step('mentions', 'person', 'links.suggest', { paths: ['notes/'] }, 'done'),
  step('mentions made links', 'person', 'links.apply', { paths: ['notes/'] }, 'done'),
  step('a planned move', 'person', 'document.move', { from: 'notes/l.md', to: 'notes/links.md', dry_run: true }, 'done'),
  step('a move', 'person', 'document.move', { from: 'notes/l.md', to: 'notes/links.md' }, 'done'),
  step('the move again', 'person', 'document.move', { from: 'notes/l.md', to: 'notes/links.md' }, 'done'),
  step('a move of nothing', 'person', 'document.move', { from: 'notes/none.md', to: 'notes/x.md' }, 'not_found'),
  step('a move without the right', 'clerk', 'document.move', { from: 'notes/links.md', to: 'notes/x.md' }, 'forbidden'),
  step('tables of contents', 'person', 'toc.write', { directory: 'notes' }, 'done'),
  step('tables of contents without the right', 'clerk', 'toc.write', {}, 'forbidden'),
];

export const careOfMemory: readonly Step[] = [
  submit('a memory that asks', operation('m1', 'memory/ask.md', opposed('ask', 'must', 'directive_must')), 'done'),
  submit('a memory that forbids', operation('m2', 'memory/forbid.md', opposed('forbid', 'must_not', 'directive_must_not')), 'done'),
  step('a comparison of memories', 'person', 'memory.check', {}, 'done'),
  step('a comparison without the right', 'clerk', 'memory.check', {}, 'forbidden'),
  step('a comparison that records', 'person', 'memory.check', { record: true }, 'done'),
  step('a resolution of nothing', 'person', 'memory.resolve', { conflict: 'conflict-none', keep: 'both' }, 'not_found'),
  step(
    'a resolution',
    'person',
    'memory.resolve',
    given => ({ conflict: (given('a comparison that records').pairs as { conflict: string }[] | undefined)?.[0]?.conflict, keep: 'new' }),
    'done',
  ),
  step('feedback', 'person', 'feedback.give', { subject: 'shop/till', score: 0.5, comment: 'So so.' }, 'done'),
  step('feedback of a clerk', 'clerk', 'feedback.give', { subject: 'shop/till', score: 1 }, 'done'),
  step('a rollup', 'person', 'feedback.rollup', { paths: ['shop/'] }, 'done'),
  step('a rollup without the right', 'clerk', 'feedback.rollup', {}, 'forbidden'),
];
