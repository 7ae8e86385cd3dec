import type { ParsedQuery, SemanticLaneState } from '#semantic';
import type { SearchReason, SearchReply } from './vault-search.ts';

const messages: Readonly<Record<SearchReason['code'], string>> = {
  empty_query: 'There is nothing to search for: give at least one letter, digit or pictogram.',
  only_exclusions: 'There is nothing to search for: beside words to leave out, give a word to find.',
  query_cut: 'The question is very long; only its beginning was looked at.',
  some_words: 'No document has all the words; these have some of them, those with more words first.',
  private_left_out:
    'Only structural documents were searched; ask for private ones (--private) to search threads, tasks, runs and plain notes, too.',
  cross_language_unavailable:
    'Search across languages and by meaning is unavailable: no embedding model is configured. Words, aliases and semantic_id still match.',
  reindex_needed: 'Search by meaning is off until the vectors are made anew: `sheaf index embed`. Answered from words alone.',
  vectors_missing: 'Some documents have no vector yet, so answers by meaning are partial: `sheaf index embed` makes the rest.',
  model_unreachable: 'The embedding model could not be reached. Answered from words alone.',
};

const searchReason = (code: SearchReason['code']): SearchReason => ({ code, message: messages[code] });

/** Everything that should be said about an answer. Nothing here depends on documents that the asker may not see. */
export const reasonsFor = (answer: {
  readonly query: ParsedQuery;
  readonly words: SearchReply['words'];
  readonly found: number;
  readonly private: boolean;
  readonly state: SemanticLaneState;
  readonly unreachable: boolean;
}): readonly SearchReason[] => {
  const { query, state } = answer;
  const codes: SearchReason['code'][] = [];
  // Nothing was asked, so nothing else explains the answer.
  if (query.words.length === 0) return [searchReason(query.excluded.length > 0 ? 'only_exclusions' : 'empty_query')];
  if (query.cut) codes.push('query_cut');
  if (answer.words === 'some' && answer.found > 0) codes.push('some_words');
  if (!answer.private && answer.found === 0) codes.push('private_left_out');
  if (state.state === 'off') codes.push('cross_language_unavailable');
  if (state.state === 'reindex_needed') codes.push('reindex_needed');
  if (state.state === 'ready' && state.missing > 0) codes.push('vectors_missing');
  if (answer.unreachable) codes.push('model_unreachable');
  return codes.map(searchReason);
};
