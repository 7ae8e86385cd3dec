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
