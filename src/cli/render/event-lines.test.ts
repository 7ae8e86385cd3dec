import { expect, test } from 'vitest';
import { sampleEvent } from '#adapter-contracts/testing';
import { eventActor, shortEventId } from './event-lines.ts';

test('who acted is shown, and a record that does not say it is shown too', () => {
  expect(eventActor(sampleEvent())).toBe('user-42');
  for (const principal of [null, {}, { id: 7 }]) expect(eventActor({ ...sampleEvent(), principal: principal as never })).toBe('–');
});

test('an event id from a log that somebody else wrote cannot steer the terminal', () => {
  expect(shortEventId('\u001b[2J')).toBe('\\x1b[2J');
});
