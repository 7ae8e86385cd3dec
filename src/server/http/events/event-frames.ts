import type { CanonicalEvent } from '#api';

const frames = new WeakMap<CanonicalEvent, Buffer>();

/** An event as a server-sent one: `id` is its event id, `data` the canonical record. Written once, however many clients get it. */
export const eventFrame = (event: CanonicalEvent): Buffer => {
  const known = frames.get(event);
  if (known !== undefined) return known;
  // JSON escapes every line break, so the record is one line.
  const frame = Buffer.from(`id: ${event.event_id}\ndata: ${JSON.stringify(event)}\n\n`, 'utf8');
  frames.set(event, frame);
  return frame;
};

/** Says where a client stands without telling it an event: whoever asks for few of many events resumes from here. */
export const placeFrame = (cursor: string | null): string => (cursor === null ? ': alive\n\n' : `: alive\nid: ${cursor}\n\n`);

/** The last frame of a stream that the server ends, with the contract's body; a stream that breaks off has none. */
export const endFrame = (body: object): string => `event: end\ndata: ${JSON.stringify(body)}\n\n`;
