import { expect, test, vi } from 'vitest';
import { openMemoryVault } from '#open-vault';
import { movableClock, vaultHands, workflow } from './runtime-vault.ts';
import { dueInYear, type PlainTrigger } from './year-oracle.ts';

vi.setConfig({ testTimeout: 120_000 });

const zones = ['UTC', 'Europe/Madrid', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'America/Sao_Paulo'] as const;
const hour = 3_600_000;
const start = Date.parse('2026-01-01T00:00:00Z');
const end = Date.parse('2027-01-01T00:00:00Z');

/** A seeded generator, so that a failure repeats. */
const dice = (seed: number) => {
  let state = seed;
  return (sides: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
};

/** Two hundred triggers of every kind of schedule, most of them rare, so that a year stays small. */
const triggersOf = (roll: ReturnType<typeof dice>): readonly PlainTrigger[] =>
  Array.from({ length: 200 }, (_, index): PlainTrigger => {
    const policy = (['skip', 'run_once', 'catch_up'] as const)[roll(3)]!;
    const zone = zones[roll(zones.length)]!;
    const [minute, hourOfDay, day, month] = [roll(60), roll(24), 1 + roll(31), 1 + roll(12)];
    const base = { id: `t${index}`, policy, zone };
    switch (roll(9)) {
      case 0:
        return { ...base, kind: 'cron', minutes: [minute], hours: [], days: [day], months: [month] };
      case 1:
      case 2:
        return { ...base, kind: 'interval', hours: 24 * (10 + roll(60)), anchor: start + roll(1000) * 60_000 };
      case 3:
      case 4:
        return { ...base, kind: 'cron', minutes: [minute], hours: [hourOfDay], days: [day], months: [] };
      case 5:
        return { ...base, kind: 'cron', minutes: [minute, (minute + 30) % 60], hours: [hourOfDay], days: [day], months: [month] };
      default:
        // Where clocks are set: every day of those months on which one of the six is.
        return {
          ...base,
          kind: 'cron',
          minutes: [minute],
          hours: [roll(4)],
          days: [1, 4, 5, 8, 25, 29],
          months: [[3, 4, 10, 11][roll(4)]!],
        };
    }
  });

const entry = (trigger: PlainTrigger): string => {
  const more = `\nid: ${trigger.id}\nmisfire_policy: ${trigger.policy}\nconcurrency: allow_parallel`;
  if (trigger.kind === 'interval')
    return `type: interval\ninterval: ${trigger.hours}h\nx_anchor: ${new Date(trigger.anchor).toISOString()}${more}`;
  const part = (values: readonly number[]): string => (values.length === 0 ? '*' : [...values].sort((a, b) => a - b).join(','));
  const { minutes, hours, days, months } = trigger;
  return `type: cron\ncron: "${part(minutes)} ${part(hours)} ${part(days)} ${part(months)} *"\ntimezone: ${trigger.zone}${more}`;
};

test('a year of two hundred triggers in six time zones, with two daemons that die at random, makes exactly the tasks of a plain count', async () => {
  const roll = dice(20_260_516);
  const triggers = triggersOf(roll);
  const clock = movableClock(new Date(start).toISOString());
  const vault = await openMemoryVault({ clock });
  const { write, tasks, events } = vaultHands(vault);
  const perWorkflow = 10;
  for (let first = 0; first < triggers.length; first += perWorkflow)
    await write(`workflows/w${first}.md`, workflow(`w${first}`, triggers.slice(first, first + perWorkflow).map(entry)));
  const workflowOf = (index: number): string => `w${index - (index % perWorkflow)}`;

  let daemons = [vault.work.rounds(), vault.work.rounds()];
  /** The instants at which somebody looked. */
  const looks: number[] = [];
  for (let now = start; now < end; ) {
    // Mostly a look a day or so; now and then nobody for weeks.
    now = Math.min(now + (roll(40) === 0 ? (4 + roll(20)) * 24 * hour : (1 + roll(60)) * hour) + roll(hour), end - 1);
    clock.set(now);
    looks.push(now);
    if (roll(5) === 0) daemons = daemons.map(daemon => (roll(2) === 0 ? vault.work.rounds() : daemon));
    if (roll(60) === 0) await vault.index.rebuild(['runtime', 'work'][roll(2)]);
    const [one, other] = daemons as [(typeof daemons)[0], (typeof daemons)[0]];
    for (let more = true; more; ) {
      const rounds = roll(3) === 0 ? await Promise.all([one.round(), other.round()]) : [await (roll(2) === 0 ? one : other).round()];
      more = rounds.some(round => round.more);
    }
    if (now === end - 1) break;
  }

  const wanted = triggers.flatMap((trigger, index) =>
    dueInYear(trigger, { start, looks, grace: 60_000 }).map(at => {
      const stamp = new Date(at)
        .toISOString()
        .replace(/\.\d{3}Z$/, 'Z')
        .replace(/[-:]/g, '');
      return `tasks/${workflowOf(index)}/${trigger.id}-${stamp}.md`;
    }),
  );
  expect(wanted.length).toBeGreaterThan(500);
  expect(await tasks()).toEqual(wanted.toSorted());
  const fired = await events('workflow_triggered');
  expect(fired).toHaveLength(wanted.length);
  expect(fired.filter(({ payload, timestamp }) => (payload as { scheduled_for: string }).scheduled_for > timestamp)).toEqual([]);
});
