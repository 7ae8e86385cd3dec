import { type Step, step } from './step.ts';

const eventOf = (given: (step: string) => Readonly<Record<string, unknown>>, name: string): unknown => given(name).event_id;
const noEvent = '00000000-0000-4000-8000-000000000000';

export const past: readonly Step[] = [
  step('what an event did', 'person', 'history.show', given => ({ event_id: eventOf(given, 'a replace') }), 'done'),
  step('what an event of no document did', 'person', 'history.show', given => ({ event_id: eventOf(given, 'an event') }), 'done'),
  step('what an unknown event did', 'person', 'history.show', { event_id: noEvent }, 'not_found'),
  step('what an event did without the right', 'clerk', 'history.show', given => ({ event_id: eventOf(given, 'a replace') }), 'forbidden'),
  step('a document at an event', 'person', 'history.read', given => ({ path: 'rules/a.md', at: eventOf(given, 'a create') }), 'done'),
  step(
    'an absent document at an event',
    'person',
    'history.read',
    given => ({ path: 'rules/none.md', at: eventOf(given, 'a create') }),
    'not_found',
  ),
  step('what was changed by hand', 'person', 'history.diff', { path: 'rules/a.md' }, 'done'),
  step(
    'what changed between two events',
    'person',
    'history.diff',
    given => ({ path: 'rules/a.md', from: eventOf(given, 'a create'), to: eventOf(given, 'a patch') }),
    'done',
  ),
  step('what changed nowhere', 'person', 'history.diff', { path: 'rules/none.md' }, 'not_found'),
  step(
    'what an event changed at another path',
    'person',
    'history.diff',
    given => ({ path: 'memory/m.md', from: eventOf(given, 'a create') }),
    'invalid_request',
  ),
  step('who set what', 'person', 'history.blame', { path: 'rules/a.md' }, 'done'),
  step('who set what without the right', 'clerk', 'history.blame', { path: 'rules/a.md' }, 'forbidden'),
  step('who set what in nothing', 'person', 'history.blame', { path: 'rules/none.md' }, 'not_found'),
  step('an undo of what moved on', 'person', 'history.undo', given => ({ event_id: eventOf(given, 'a replace') }), 'version_conflict'),
  step('a rehearsed undo', 'person', 'history.undo', given => ({ event_id: eventOf(given, 'a patch'), dry_run: true }), 'done'),
  step('an undo', 'person', 'history.undo', given => ({ event_id: eventOf(given, 'a patch') }), 'done'),
  step('an undo that was made already', 'person', 'history.undo', given => ({ event_id: eventOf(given, 'a patch') }), 'done'),
  step('an undo of the undo', 'person', 'history.undo', given => ({ event_id: eventOf(given, 'an undo') }), 'done'),
  step(
    'an undo of an event of no document',
    'person',
    'history.undo',
    given => ({ event_id: eventOf(given, 'an event') }),
    'invalid_request',
  ),
  step('an undo of an unknown event', 'person', 'history.undo', { event_id: noEvent }, 'not_found'),
  step('an undo without the right', 'clerk', 'history.undo', given => ({ event_id: eventOf(given, 'a patch') }), 'forbidden'),
  step('a rehearsed collection', 'person', 'history.collect', { dry_run: true }, 'done'),
  step('a collection without the right', 'clerk', 'history.collect', {}, 'forbidden'),
  step('where the history in git stands', 'person', 'history.git', { action: 'status' }, 'done'),
  step('the history in git switched on', 'person', 'history.git', { action: 'on' }, 'done'),
  step('the history in git switched off', 'person', 'history.git', { action: 'off' }, 'done'),
  step('the history in git where there is no repository', 'person', 'history.git', { action: 'sync' }, 'invalid_request'),
  step('the history in git without the right', 'clerk', 'history.git', { action: 'on' }, 'forbidden'),
];
