import { setImmediate as turn } from 'node:timers/promises';
import { fakeClock, seededRandom } from '#adapter-contracts/testing';
import { Violation } from './check-vault.ts';
import { onCountedTime } from './counted-time.ts';
import { createHistory, type History, historyAt, send } from './history.ts';
import { openSimulatedVault } from './opened-vault.ts';
import { type Moment, type RecoverySettings, recoverAndRepeat } from './recover-and-repeat.ts';
import { createMachine, type SimulatedProcess } from './simulated-machine.ts';
import type { Lie } from './watched-file-system.ts';
import { runClient, type WorkloadSize } from './workload.ts';

export interface CutPlan {
  /** For messages. */
  readonly name: string;
  readonly seed: number;
  readonly size: WorkloadSize;
  /** The share of calls before which the power is cut; 1 = every call. */
  readonly cutShare: number;
  /** The same while a vault recovers and requests are repeated: a second and a third cut in a row. */
  readonly againShare: number;
  /** One process dies at a call that the seed chooses, while the others go on; another one takes its place, and asks again what was not answered. */
  readonly death: boolean;
  readonly lie?: Lie;
}

export interface CutCounts {
  cuts: number;
  deaths: number;
  acknowledged: number;
  rolledBack: number;
  replayed: number;
}

export const noCounts = (): CutCounts => ({ cuts: 0, deaths: 0, acknowledged: 0, rolledBack: 0, replayed: 0 });

/** Runs one workload and every cut that its plan asks for; throws a `Violation` that says how to repeat it. */
export const runPlan = (plan: CutPlan, counts: CutCounts): Promise<void> =>
  onCountedTime(seededRandom(plan.seed), async () => {
    const random = seededRandom(plan.seed ^ 0x5eaf);
    // Half of the vaults have a log of many small segments.
    const segmentBytes = random() < 0.5 ? 3_000 : 32 << 20;
    await createRun(plan, counts, { random, clock: fakeClock(), segmentBytes, lie: plan.lie ?? {} }).run();
  });

const mostCutsInARow = 3;
const cutsAtTheEnd = 3;

interface CutMoment extends Moment {
  readonly at: string;
}

type RunSettings = Required<Omit<RecoverySettings, 'before'>>;

const createRun = (plan: CutPlan, counts: CutCounts, settings: RunSettings) => {
  const check = async (moment: Moment, at: string, before = (): void => undefined): Promise<void> => {
    try {
      const { rolledBack, replayed } = await recoverAndRepeat(moment, { ...settings, before });
      counts.rolledBack += rolledBack;
      counts.replayed += replayed;
    } catch (error) {
      throw violationAt(plan, at, error);
    }
  };
  const verify = async (moment: CutMoment, depth: number): Promise<void> => {
    counts.cuts += 1;
    const cuts = createCuts(moment, depth < mostCutsInARow ? plan.againShare : 0, settings, `${moment.at}, `);
    await check(moment, moment.at, cuts.before);
    for (const again of cuts.moments) await verify(again, depth + 1);
  };
  return {
    async run() {
      const machine = createMachine();
      const history = createHistory();
      const cuts = createCuts({ machine, history }, plan.cutShare, settings, '');
      await work(plan, counts, settings, { machine, history }, cuts.before);
      if (plan.cutShare > 0) for (let end = 0; end < cutsAtTheEnd; end += 1) cuts.cut();
      counts.acknowledged += history.attempts.filter(({ response }) => response?.success === true).length;
      for (const moment of cuts.moments) await verify(moment, 1);
      await check({ machine, history }, 'without a cut');
    },
  };
};

interface Cuts {
  readonly moments: readonly CutMoment[];
  readonly cut: () => void;
  readonly before: () => void;
}

/** Cuts the power before some calls and remembers what would be left; the machine itself goes on. */
const createCuts = ({ machine, history }: Moment, share: number, { random }: RunSettings, where: string): Cuts => {
  const moments: CutMoment[] = [];
  let calls = 0;
  const cut = (): void => {
    const seed = Math.floor(random() * 2 ** 32);
    const left = { machine: machine.afterPowerCut(seed), history: historyAt(history, history.tick()) };
    moments.push({ ...left, at: `${where}cut ${seed} at call ${calls}` });
  };
  return {
    moments,
    cut,
    before() {
      calls += 1;
      if (random() < share) cut();
    },
  };
};

const callsToOpen = 25;
const callsPerRequest = 10;
const longestAbsenceInTurns = 80;

/** Lets every process of the workload run to its end, or to its death. */
const work = async (
  plan: CutPlan,
  counts: CutCounts,
  settings: RunSettings,
  { machine, history }: Moment,
  before: () => void,
): Promise<void> => {
  const { size, death } = plan;
  const { random, lie } = settings;
  const dying = death ? Math.floor(random() * size.processes) : null;
  const lastCall = 1 + Math.floor(random() * (callsToOpen + callsPerRequest * size.clients * size.requests));
  const start = (number: number): SimulatedProcess => {
    let calls = 0;
    return machine.start({
      random,
      lie,
      before(process) {
        before();
        calls += 1;
        if (dying !== number || calls !== lastCall) return;
        counts.deaths += 1;
        process.die();
      },
    });
  };
  const runToItsEnd = async (process: SimulatedProcess, number: number): Promise<void> => {
    await runProcess(plan, settings, history, process, `p${number}`);
    if (process.isAlive()) return;
    // Until somebody opens the vault anew, the others alone meet what was left half done.
    for (let turns = Math.floor(random() * longestAbsenceInTurns); turns > 0; turns -= 1) await turn();
    await runProcess(plan, settings, history, start(number + size.processes), `p${number}b`);
  };
  await Promise.all(Array.from({ length: size.processes }, (_, number) => start(number)).map(runToItsEnd));
};

/** Opens the vault, asks again what nobody has been answered yet, and runs its clients; ends early when the process dies. */
const runProcess = async (
  plan: CutPlan,
  settings: RunSettings,
  history: History,
  process: SimulatedProcess,
  name: string,
): Promise<void> => {
  const { isAlive } = process;
  const vault = await openSimulatedVault(process, settings).catch((error: unknown) => {
    if (isAlive()) throw violationAt(plan, 'at opening', error);
    return null;
  });
  if (vault === null) return;
  const unanswered = history.attempts.filter(({ response }) => response === null);
  await Promise.all(unanswered.map(({ request }) => send(history, request, vault.execute, isAlive)));
  const { clock, random } = settings;
  const clients = Array.from({ length: plan.size.clients }, (_, client) => `${name}c${client}`);
  await Promise.all(clients.map(client => runClient({ name: client, vault, history, clock, random, isAlive }, plan.size)));
  // Closing writes too, and so may be where the process dies.
  if (isAlive())
    await vault.store.close().catch((error: unknown) => {
      if (isAlive()) throw error;
    });
};

const violationAt = ({ name, seed }: CutPlan, at: string, error: unknown): Error =>
  new Violation(`${name} workload of seed ${seed}, ${at}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
