import type { CallResult } from '../invoke.ts';
import { shortInstant } from '../output/instant.ts';
import type { Palette } from '../output/palette.ts';
import type { Cell } from '../output/table.ts';
import { visibleLine } from '../output/terminal-text.ts';
import { shortEventId } from './event-lines.ts';

type Blame = CallResult<'history.blame'>;

/** Each line that has an origin: the event, who and when, then the line as it stands. */
export const blameRows = (blame: Blame, palette: Palette): readonly (readonly Cell[])[] => {
  const lines = blame.content.split('\n');
  const events = new Map(blame.events.map(event => [event.event_id, event]));
  return [...blame.fields, ...blame.body].flatMap(part =>
    Array.from({ length: part.last_line - part.first_line + 1 }, (_, index): readonly Cell[] => {
      const number = part.first_line + index;
      return [
        ...originCells(part, events, palette),
        { text: `${number}`, style: palette.dim },
        { text: visibleLine(lines[number - 1] ?? '') },
      ];
    }),
  );
};

const originCells = (
  { origin, event_id: id }: Blame['body'][number],
  events: ReadonlyMap<string, Blame['events'][number]>,
  palette: Palette,
): readonly Cell[] => {
  const event = origin === 'event' && id !== null ? events.get(id) : undefined;
  if (event === undefined) return [{ text: origin, style: palette.warn }, { text: '' }, { text: '' }];
  return [
    { text: shortEventId(event.event_id), style: palette.dim },
    { text: visibleLine(event.principal_id) },
    { text: visibleLine(shortInstant(event.timestamp)), style: palette.dim },
  ];
};
