import { recordedState } from '#api';
import { UsageError } from './cli-error.ts';
import type { CommandContext } from './command-context.ts';
import { type CallResult, invoke, type LogEvent } from './invoke.ts';

/** The event with this id, or the only one whose id ends like this: the log prints endings. */
export const findEvent = async (context: CommandContext, id: string): Promise<LogEvent> => {
  if (!/^[0-9a-f-]{6,35}$/.test(id)) return invoke(context, 'event.show', { event_id: id });
  const found: LogEvent[] = [];
  let cursor: string | undefined;
  for (let more = true; more && !context.signal.aborted; ) {
    const page: CallResult<'event.list'> = await invoke(context, 'event.list', { limit: 1000, cursor });
    found.push(...page.events.filter(event => event.event_id.endsWith(id)));
    cursor = page.cursor ?? cursor;
    ({ more } = page);
  }
  const [event, other] = found;
  if (event === undefined) return invoke(context, 'event.show', { event_id: id });
  if (other !== undefined) throw new UsageError(`${found.length} events end in '${id}'; give more of the id`);
  return event;
};

/** The whole id for what was typed; undefined stays undefined. */
export const findEventId = async <T extends string | undefined>(context: CommandContext, id: T): Promise<T> =>
  id === undefined ? id : ((await findEvent(context, id)).event_id as T);

/**
 * The event that is meant by an event id or by the path of a document, which stands for the last event that changed it.
 *
 * @example await findChange(context, 'rules/tone.md')
 */
export const findChange = async (context: CommandContext, given: string): Promise<string> => {
  if (!/\/|\.md$/.test(given)) return findEventId(context, given);
  let last: LogEvent | undefined;
  let cursor: string | undefined;
  for (let more = true; more && !context.signal.aborted; ) {
    const page: CallResult<'event.list'> = await invoke(context, 'event.list', { subject: given, limit: 1000, cursor });
    last = page.events.findLast(event => recordedState(event) !== null) ?? last;
    cursor = page.cursor ?? cursor;
    ({ more } = page);
  }
  if (last === undefined) throw new UsageError(`the log holds no change of '${given}'; \`sheaf log\` lists what was changed`);
  return last.event_id;
};
