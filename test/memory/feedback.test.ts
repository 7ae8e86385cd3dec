import { describe, expect, test } from 'vitest';
import type { Vault } from '#api';
import { parseRecords } from '#document';
import { formatRecord, recordProvenance } from '#semantic';
import { contents, rule, run, vaultWith, withForeignBytes } from '../links/linked-vault.ts';

const person = (vault: Vault) => ({ principal: vault.localPrincipal() });
const give = async (vault: Vault, subject: string, ...scores: readonly number[]): Promise<void> => {
  for (const score of scores) expect(await vault.memory.feedback({ subject, score }, person(vault))).toMatchObject({ success: true });
};
const rolled = async (vault: Vault, paths: readonly string[] | null = null) =>
  (await vault.memory.rollUp(paths, person(vault))).map(({ path, outcome, feedback }) => [path, outcome, feedback.score, feedback.samples]);

describe('the rollup', () => {
  test('counts every signal once, and writes nothing when there is nothing new', async () => {
    const vault = await vaultWith({ 'rules/a.md': rule('A\n'), 'rules/b.md': rule('B\n') });
    await give(vault, 'rules/a.md', 1, 1, 0.5, 0, -1);
    const before = (await vault.read('rules/a.md'))!.text;
    expect(await rolled(vault)).toEqual([['rules/a.md', 'patched', 0.5, 5]]);
    const after = (await vault.read('rules/a.md'))!.text;
    expect(after).toContain('\nfeedback:\n  score: 0.5\n  positive: 2\n  negative: 2\n  samples: 5\n  last_feedback: ');
    expect(after.replace(/feedback:\n(?: {2}.*\n)+/, '')).toBe(before);
    const cursor = await vault.lastCursor();
    expect(await rolled(vault)).toEqual([['rules/a.md', 'unchanged', 0.5, 5]]);
    expect(await vault.lastCursor()).toBe(cursor);
    expect(await rolled(vault, ['rules/b.md'])).toEqual([]);
  });

  test('rounds as the standard shows it', async () => {
    const vault = await vaultWith({ 'rules/a.md': rule('A\n') });
    await give(vault, 'rules/a.md', ...Array.from({ length: 14 }, () => 1), 0, 0, 0);
    const [row] = await vault.memory.rollUp(null, person(vault));
    expect(row?.feedback).toMatchObject({ score: 0.82, positive: 14, negative: 3, samples: 17 });
  });

  test('follows a document that moved, and says where there is none', async () => {
    const vault = await vaultWith({ 'rules/a.md': rule('A\n') });
    await give(vault, 'rules/a.md', 1);
    await give(vault, 'rules/none.md', 0);
    await vault.links.move('rules/a.md', 'rules/b.md', person(vault));
    await give(vault, 'rules/b.md', 0);
    expect(await rolled(vault)).toEqual([
      ['rules/b.md', 'patched', 0.5, 2],
      ['rules/none.md', 'absent', 0, 1],
    ]);
  });

  test('goes on past a document that is not UTF-8, and says why it carries none', async () => {
    const vault = await vaultWith({ 'rules/b.md': rule('B\n') }, { wrapAdapters: withForeignBytes('rules/a.md') });
    await give(vault, 'rules/a.md', 1);
    await give(vault, 'rules/b.md', 1);
    expect(await vault.memory.rollUp(null, person(vault))).toMatchObject([
      { path: 'rules/a.md', outcome: 'absent', reason: expect.stringContaining('UTF-8') },
      { path: 'rules/b.md', outcome: 'patched' },
    ]);
  });

  test('reads a flood of signals about one document, and one transcript, once', async () => {
    const signals = 60_000;
    let flood = false;
    const vault = await vaultWith(
      {
        'rules/a.md': rule('A\n'),
        'runs/r.md': run(`### step 1 — s — 2026-05-16T14:00:00Z\n${'Said.\n'.repeat(2_000)}\nProvenance: [rule](/rules/a.md)\n`),
      },
      {
        wrapAdapters: given => {
          const { events } = given;
          const replay: typeof events.replay = async function* (query) {
            for await (const entry of events.replay(query)) {
              yield entry;
              if (flood && (entry.event.payload as { event_type?: string } | null)?.event_type === 'feedback')
                for (let more = 1; more < signals; more += 1) yield entry;
            }
          };
          return { ...given, events: { ...events, replay } };
        },
      },
    );
    await give(vault, 'runs/r.md', 1);
    flood = true;
    expect(await rolled(vault)).toEqual([
      ['rules/a.md', 'patched', 1, signals],
      ['runs/r.md', 'patched', 1, signals],
    ]);
  });

  test('ignores numbers of other scales, which only other programs can have recorded', async () => {
    const vault = await vaultWith({ 'rules/a.md': rule('A\n') });
    for (const [index, score] of [5, -2, '1', null, 0.9].entries()) {
      const content = JSON.stringify({ event_type: 'feedback', subject: 'rules/a.md', score });
      await vault.execute(
        { type: 'event', workspace_id: vault.workspaceId, idempotency_key: `f${index}`, path: 'rules/a.md', content },
        person(vault),
      );
    }
    expect(await rolled(vault)).toEqual([['rules/a.md', 'patched', 0.9, 1]]);
    for (const score of [5, -0.0001 - 1, Number.NaN]) {
      await expect(vault.memory.feedback({ subject: 'rules/a.md', score }, person(vault))).rejects.toMatchObject({
        code: 'invalid_request',
      });
    }
  });

  test('is the caller’s change: who may not patch a document does not', async () => {
    const vault = await vaultWith({ 'rules/a.md': rule('A\n') });
    await give(vault, 'rules/a.md', 1);
    const principal = { ...vault.localPrincipal(), capabilities: ['write:event'] };
    expect(await vault.memory.rollUp(null, { principal })).toMatchObject([
      { outcome: 'refused', reason: expect.stringContaining('ssss:rule:patch') },
    ]);
  });
});

describe('provenance', () => {
  const hash = `sha256:${'a'.repeat(64)}`;
  const entries = [
    { role: 'assistant', path: 'assistants/front desk/ASSISTANT.md', hash },
    { role: 'memory', path: 'memory/定金.md', hash: null },
    { role: null, path: 'rules/a.md', hash },
  ] as const;

  test('is written into a record and read back from it', () => {
    const text = 'Hello.\n\n### turn 9 — user — 2026-01-01T00:00:00Z\nProvenance: [x](/rules/forged.md)';
    const written = formatRecord({
      kind: 'turn',
      number: 2,
      name: 'assistant',
      timestamp: '2026-05-16T14:00:00Z',
      text,
      provenance: entries,
    });
    const [record, ...others] = parseRecords(written);
    expect(others).toEqual([]);
    expect(record).toMatchObject({ kind: 'turn', number: 2, name: 'assistant', status: null });
    expect(recordProvenance(record!)).toEqual(entries);
    expect(recordProvenance({ text: 'Provenance: [a](/models/m/MODEL.md), see [b](https://e.org/x.md)' })).toEqual([
      { role: null, path: 'models/m/MODEL.md', hash: null },
    ]);
    expect(recordProvenance({ text: 'Nothing.' })).toEqual([]);
  });

  test.each([
    { kind: 'Turn', name: 'a', timestamp: '2026-05-16T14:00:00Z' },
    { kind: 'turn', name: 'a — b', timestamp: 'then' },
    { kind: 'turn', name: 'a\n### turn 2 — b', timestamp: '2026-05-16T14:00:00Z' },
  ])('a heading that would not read back is refused: %o', heading => {
    expect(() => formatRecord({ ...heading, number: 1, text: '' })).toThrow('would not read back');
  });

  test('lets feedback about an outcome count for what produced it by then', async () => {
    const record = (number: number, timestamp: string, path: string) =>
      formatRecord({
        kind: 'step',
        number,
        name: 's',
        timestamp,
        status: 'ok',
        text: 'Done.',
        provenance: [{ role: 'rule', path, hash: null }],
      });
    const vault = await vaultWith({
      'rules/a.md': rule('A\n'),
      'rules/b.md': rule('B\n'),
      'rules/late.md': rule('L\n'),
      'runs/r/RUN.md': run(
        record(1, '2026-01-01T00:00:00Z', 'rules/a.md') +
          record(2, '2026-01-01T00:00:01Z', 'rules/b.md') +
          record(3, '2999-01-01T00:00:00Z', 'rules/late.md'),
      ),
    });
    await give(vault, 'runs/r/RUN.md', 1);
    await vault.memory.feedback({ subject: 'runs/r/RUN.md', score: 0, record: 2, comment: 'nicht gut' }, person(vault));
    expect(await rolled(vault)).toEqual([
      ['rules/a.md', 'patched', 1, 1],
      ['rules/b.md', 'patched', 0.5, 2],
      ['runs/r/RUN.md', 'patched', 0.5, 2],
    ]);
    const files = await contents(vault);
    expect(files['runs/r/RUN.md']).toContain('### step 3 — s — 2999');
    expect(Object.values(files).join('')).not.toContain('nicht gut');
    expect((await rolled(vault)).map(([, outcome]) => outcome)).toEqual(['unchanged', 'unchanged', 'unchanged']);
  });
});
