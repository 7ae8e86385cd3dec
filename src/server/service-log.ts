import type { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';

/** One JSON object per line, without the machine's name; what each line holds is the surfaces' business. */
export const createServiceLog = (stream: Writable, level: 'info' | 'warn' = 'info'): Logger =>
  pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: label => ({ level: label }) } }, stream);
