import type { LogEvent } from '../invoke.ts';
import { relativeTime, shortInstant } from '../output/instant.ts';
import type { Palette } from '../output/palette.ts';
import type { Printer } from '../output/printer.ts';
import type { Cell } from '../output/table.ts';
import { visibleLine } from '../output/terminal-text.ts';

/** What an event did, in a word or two: its action, or the type that an `event` envelope gave itself. */
export const eventWord = (event: LogEvent): string => {
  if (event.action !== 'event') return event.action;
  const { payload } = event;
  const own = typeof payload === 'object' && payload !== null && 'event_type' in payload ? payload.event_type : undefined;
  return typeof own === 'string' ? own : 'event';
};

/** Who acted. A record that another kernel wrote may not say it, and must not keep the others from being shown (readings: damaged logs). */
export const eventActor = ({ principal }: LogEvent): string => {
  const { id } = (principal ?? {}) as { readonly id?: unknown };
  return typeof id === 'string' ? visibleLine(id) : '–';
};

/** Colours an action by what it does to the document. */
export const actionStyle = (event: LogEvent, palette: Palette): ((text: string) => string) => {
  if (event.action === 'create') return palette.good;
  if (event.action === 'delete') return palette.bad;
  return event.action === 'event' ? palette.name : palette.warn;
};

/** Below this width the exact time gives way to the path; `sheaf show` has it. */
const roomForInstants = 110;

/** Events as rows of the log: when, what, about what, by whom, which. */
export const printEventTable = async (printer: Printer, events: readonly LogEvent[]): Promise<void> => {
  const { palette, width } = printer;
  const now = new Date();
  const exact = width === null || width >= roomForInstants;
  const rows = events.map((event): Cell[] => [
    ...(exact ? [{ text: visibleLine(shortInstant(event.timestamp)), style: palette.dim }] : []),
    { text: visibleLine(relativeTime(event.timestamp, now)) },
    { text: visibleLine(eventWord(event)), style: actionStyle(event, palette) },
    { text: visibleLine(event.subject), style: palette.strong, keepEnd: true },
    { text: eventActor(event) },
    { text: shortEventId(event.event_id), style: palette.dim },
  ]);
  await printer.table(rows, exact ? 3 : 2);
};

/** The part of an event id that tells neighbours apart; the beginning of a time-ordered id does not. */
export const shortEventId = (id: string): string => visibleLine(id.slice(-12));

/** One event as two columns, field by field; long values are kept whole. */
export const eventDetails = (event: LogEvent, now: Date, palette: Palette): readonly (readonly Cell[])[] =>
  Object.entries(event).map(([field, value]) => [
    { text: field, style: palette.dim },
    { text: visibleLine(field === 'timestamp' ? `${event.timestamp} (${relativeTime(event.timestamp, now)})` : fieldText(value)) },
  ]);

const fieldText = (value: unknown): string => {
  if (value === null) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
};
