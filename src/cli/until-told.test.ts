import { expect, test } from 'vitest';
import { untilTold } from './until-told.ts';

test('SIGTERM and an interruption both tell a command to end, and nothing listens afterwards', () => {
  const listeners = process.listenerCount('SIGTERM');
  const byTerm = untilTold(new AbortController().signal);
  expect(byTerm.signal.aborted).toBe(false);
  process.emit('SIGTERM');
  expect(byTerm.signal.aborted).toBe(true);
  byTerm.dispose();
  const interrupted = new AbortController();
  const byInterruption = untilTold(interrupted.signal);
  interrupted.abort();
  expect(byInterruption.signal.aborted).toBe(true);
  byInterruption.dispose();
  expect(process.listenerCount('SIGTERM')).toBe(listeners);
});
