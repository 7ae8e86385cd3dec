import { createAlarm, type DaemonRounds, longestSleepMs, runDaemonLoop, type WakeUps } from '#runtime';
import type { Vault } from '../vault.ts';
import type { DaemonOptions, VaultWork } from './vault-work.ts';

interface DaemonParts {
  rounds(): DaemonRounds;
  readonly worker: VaultWork['worker'];
  readonly now: () => number;
  /** When the next task that rests may be tried again. */
  nextAttempt(): Promise<number | null>;
  vault(): Vault;
}

const afterFailureMs = 2_000;

/** Daemon and workers over one vault: woken by its events, by the clock, and at the latest after half a minute. */
export const createVaultDaemon = (parts: DaemonParts): Pick<VaultWork, 'rounds' | 'runDue' | 'runDaemon'> => ({
  rounds: () => parts.rounds(),
  async runDue(options) {
    const rounds = parts.rounds();
    try {
      for (;;) {
        const round = await rounds.round();
        options.onRound?.(round);
        if (options.signal?.aborted === true || round.waits !== null) return;
        // What a run writes may fire something that is due now, too.
        const worked = await workUntilIdle(parts, options);
        // What failed, or was there, is no reason to look again at once.
        const isNew = round.fired.some(({ outcome }) => outcome === 'created' || outcome === 'skipped');
        if (!round.more && !worked && !isNew) return;
      }
    } finally {
      await rounds.close();
    }
  },
  async runDaemon(options) {
    const { signal, onRound, onFailure } = options;
    const wakeUps = followingEvents(parts.vault(), signal);
    const loop = runDaemonLoop({
      rounds: parts.rounds(),
      wakeUps,
      signal,
      now: parts.now,
      ...(onRound === undefined ? {} : { onRound }),
      ...(onFailure === undefined ? {} : { onFailure }),
    });
    const workers = workerNames(options.workers).map(name => workOn(parts, name, options, wakeUps));
    await Promise.all([loop, ...workers]);
  },
});

const workerNames = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `daemon-${process.pid}-${index + 1}`);

/** One worker's life: turn after turn, resting while there is nothing to do. */
const workOn = async (
  parts: DaemonParts,
  name: string,
  { signal, ttlSeconds, onTurn, onFailure }: DaemonOptions & { readonly signal: AbortSignal },
  wakeUps: WakeUps,
): Promise<void> => {
  const worker = parts.worker(name, { ttlSeconds });
  const alarm = createAlarm(signal);
  const stop = wakeUps.subscribe(() => alarm.ring());
  while (!signal.aborted) {
    let sleep = longestSleepMs;
    try {
      const turn = await worker.turn(signal);
      if (turn.kind === 'ran') {
        onTurn?.(turn);
        continue;
      }
      const next = await parts.nextAttempt();
      if (next !== null) sleep = Math.min(Math.max(next - parts.now(), 0) + 1, longestSleepMs);
    } catch (error) {
      onFailure?.(error);
      sleep = afterFailureMs;
    }
    if (!signal.aborted) await alarm.wait(sleep);
  }
  stop();
};

/** Whether any worker found something to do. */
const workUntilIdle = async (parts: DaemonParts, { workers, ttlSeconds, signal, onTurn }: DaemonOptions): Promise<boolean> => {
  const busy = await Promise.all(
    workerNames(workers).map(async name => {
      const worker = parts.worker(name, { ttlSeconds });
      let worked = false;
      while (signal?.aborted !== true) {
        const turn = await worker.turn(signal);
        if (turn.kind === 'idle') return worked;
        onTurn?.(turn);
        worked = true;
      }
      return worked;
    }),
  );
  return busy.includes(true);
};

/** Rings for everybody when an event comes, whichever process appended it. */
const followingEvents = (vault: Vault, signal: AbortSignal): WakeUps => {
  const wakes = new Set<() => void>();
  const follow = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        const cursor = (await vault.lastCursor()) ?? undefined;
        for await (const _ of vault.follow({ cursor, signal })) for (const wake of wakes) wake();
        return;
      } catch {
        // The log was exchanged below the reader; the clock wakes meanwhile.
        await new Promise(resolve => setTimeout(resolve, afterFailureMs).unref());
      }
    }
  };
  void follow();
  return {
    subscribe(wake) {
      wakes.add(wake);
      return () => void wakes.delete(wake);
    },
  };
};
