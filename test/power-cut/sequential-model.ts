import type { CanonicalEvent } from '#adapter-contracts';
import { foldPath, hashContent } from '#document';
import type { Envelope, Request } from './history.ts';

const head = (type: string, own: string, count: number): string =>
  `---\ntype: ${type}\ntitle: T\ndescription: D\ntimestamp: 2026-01-01T00:00:00Z\n${own}count: ${count}\n---\n`;

export const rule = (count: number, body: string): string => head('rule', 'name: r\n', count) + body;
export const thread = (body: string): string => head('thread', 'thread_id: t\nstatus: open\n', 0) + body;
export const claim = (count: number, body: string): string => head('field:claim', '', count) + body;

const isThread = (text: string): boolean => text.startsWith('---\ntype: thread\n');

/** What the documents say after the events so far, when each request is carried out whole and one after the other. */
export interface SequentialModel {
  /** Takes the next event of the log; returns what is wrong with it, or null. */
  step(event: CanonicalEvent, request: Request): string | null;
  readonly documents: ReadonlyMap<string, string>;
}

interface Outcome {
  readonly action: CanonicalEvent['action'];
  /** null: there is no document. */
  readonly text: string | null;
}

/** null: the request cannot be carried out on that document. */
const carryOut = ({ type, content = '', patches = {} }: Envelope, before: string | null): Outcome | null => {
  if (type === 'operation') {
    if (before === null) return { action: 'create', text: content };
    return isThread(before) || isThread(content) || before === content ? null : { action: 'replace', text: content };
  }
  if (before === null) return null;
  if (type === 'delete') return isThread(before) ? null : { action: 'delete', text: null };
  const { count, __body__: body } = patches;
  const counted = count === undefined ? before : before.replace(/^count: .*$/m, `count: ${count}`);
  if (body === undefined) return { action: 'patch', text: counted };
  if (isThread(before)) return { action: 'append', text: counted + body };
  return { action: 'patch', text: counted.slice(0, counted.indexOf('\n---\n') + 5) + body };
};

const hashOf = (text: string | null): string | null => (text === null ? null : hashContent(Buffer.from(text)));

export const createSequentialModel = (): SequentialModel => {
  const documents = new Map<string, string>();
  return {
    documents,
    step(event, { envelope, principal, ifMatch }) {
      if (event.subject !== envelope.path || event.principal.id !== principal.id) return 'is not what its request asked for';
      if (envelope.type === 'event') {
        const payload = JSON.stringify(event.payload) === envelope.content;
        return payload && event.action === 'event' && event.after_hash === null ? null : 'is not the event its request asked for';
      }
      const before = documents.get(envelope.path) ?? null;
      const outcome = carryOut(envelope, before);
      if (outcome === null || outcome.action !== event.action) return `${event.action} cannot follow what stands there`;
      if (event.before_hash !== hashOf(before)) return 'rests on other content than what stood there';
      if (event.after_hash !== hashOf(outcome.text)) return 'leaves other content than its request asks for';
      if (ifMatch !== undefined && event.before_hash !== ifMatch) return 'replaced another version than the one expected';
      if (outcome.text === null) documents.delete(envelope.path);
      else documents.set(envelope.path, outcome.text);
      const twin = [...documents.keys()].find(path => path !== envelope.path && foldPath(path) === foldPath(envelope.path));
      return twin === undefined ? null : `stands beside its case twin ${twin}`;
    },
  };
};
