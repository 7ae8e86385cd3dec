import assert from 'node:assert/strict';
import { type LanguageModel, ModelError, type ModelRequest } from '../language-model.ts';
import type { TestApi } from './contract-harness.ts';

/** What the model behind an adapter is to answer. */
export interface PlannedTurn {
  readonly text?: string;
  readonly calls?: readonly {
    readonly name: string;
    readonly arguments: unknown;
    /** In place of the arguments, where an endpoint gives them as text. */
    readonly raw?: string;
  }[];
  /** The output ends at its limit. */
  readonly cut?: boolean;
}

/** A language model under test. */
export interface LanguageModelHarness extends TestApi {
  readonly name: string;
  /** An adapter whose model answers these turns, one for each request. */
  open(turns: readonly PlannedTurn[]): Promise<LanguageModel & { close?(): Promise<void> }>;
}

const noteTool = {
  name: 'write_note',
  description: 'Writes a note.',
  input: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'], additionalProperties: false },
};

const ask = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  system: 'You keep notes.',
  messages: [{ role: 'user', text: 'Write a note.' }],
  tools: [noteTool],
  maxOutputTokens: 200,
  ...more,
});

/** Registers the tests of the language-model contract: one turn for each call, faithful, without a loop, retries or repairs. */
export const languageModelContract = (harness: LanguageModelHarness): void => {
  const { describe, test } = harness;
  const withModel = async (turns: readonly PlannedTurn[], body: (model: LanguageModel) => Promise<void>): Promise<void> => {
    const model = await harness.open(turns);
    try {
      await body(model);
    } finally {
      await model.close?.();
    }
  };
  const call = { name: 'write_note', arguments: { title: 'naïve 会議 🚲' } };

  describe(`language model contract: ${harness.name}`, () => {
    test('a turn of text is given as it is, and ends with stop', () =>
      withModel([{ text: 'Done. 会議は来週' }], async model => {
        const turn = await model.generate(ask());
        assert.equal(turn.text, 'Done. 会議は来週');
        assert.equal(turn.finish, 'stop');
        assert.deepEqual(turn.calls, []);
      }));

    test('a call of a tool is given with its arguments and is not made', () =>
      withModel([{ calls: [call] }], async model => {
        const turn = await model.generate(ask());
        assert.equal(turn.finish, 'tool_calls');
        assert.deepEqual(
          turn.calls.map(({ name, arguments: given }) => ({ name, arguments: given })),
          [call],
        );
        assert.notEqual(turn.calls[0]?.id, '');
      }));

    test('several calls in one turn keep their order and have ids of their own', () =>
      withModel([{ text: 'Both.', calls: [call, { name: 'write_note', arguments: { title: 'b' } }] }], async model => {
        const { calls } = await model.generate(ask());
        assert.deepEqual(
          calls.map(({ arguments: given }) => given),
          [call.arguments, { title: 'b' }],
        );
        assert.equal(new Set(calls.map(({ id }) => id)).size, 2);
      }));

    test('arguments that do not fit the schema and names of no tool are given to the caller to judge', () =>
      withModel(
        [{ calls: [{ name: 'rm_rf', arguments: { path: '/' } }] }, { calls: [{ name: 'write_note', arguments: { title: 7 } }] }],
        async model => {
          assert.equal((await model.generate(ask())).calls[0]?.name, 'rm_rf');
          const second = await model.generate(
            ask({ messages: [...ask().messages, { role: 'assistant', text: 'x', calls: [] }, { role: 'user', text: 'again' }] }),
          );
          assert.deepEqual(second.calls[0]?.arguments, { title: 7 });
        },
      ));

    test('a turn goes on after results, failed ones too', () =>
      withModel([{ calls: [call] }, { text: 'Noted.' }], async model => {
        const first = await model.generate(ask());
        const id = first.calls[0]?.id ?? '';
        const turn = await model.generate(
          ask({
            messages: [
              ...ask().messages,
              { role: 'assistant', text: first.text, calls: first.calls },
              { role: 'tool', callId: id, name: 'write_note', text: 'refused: the title is taken', failed: true },
            ],
          }),
        );
        assert.equal(turn.text, 'Noted.');
      }));

    test('output that was cut says so and carries no call', () =>
      withModel([{ text: 'The title is', calls: [call], cut: true }], async model => {
        const turn = await model.generate(ask());
        assert.equal(turn.finish, 'length');
        assert.deepEqual(turn.calls, []);
      }));

    test('usage is counted in tokens or not at all', () =>
      withModel([{ text: 'x' }], async model => {
        const { usage } = await model.generate(ask());
        for (const count of [usage.inputTokens, usage.outputTokens]) assert.ok(count === null || (Number.isInteger(count) && count >= 0));
      }));

    test('a request that is stopped rejects as one that may be tried again', () =>
      withModel([{ text: 'x' }], async model => {
        await assert.rejects(
          model.generate(ask({ signal: AbortSignal.abort() })),
          error => error instanceof ModelError && error.temporary && !error.message.includes('Write a note.'),
        );
      }));

    test('a model has a name and says what it is', () =>
      withModel([{ text: 'x' }], async model => {
        assert.notEqual(model.name, '');
        assert.notEqual(model.model, '');
        assert.equal(typeof model.scripted, 'boolean');
      }));
  });
};
