import type { SampleFile } from './sample-files.ts';

/** Who did it: people of the shop, their assistants, and the message desk. Each is granted only what its part of the story needs. */
export const sampleActors = {
  'human:mei': { kind: 'human', capabilities: ['*:*'] },
  'human:jonas': { kind: 'human', capabilities: ['ssss:*', 'rental:*', 'write:event'] },
  'assistant:front-desk': {
    kind: 'agent',
    capabilities: [
      'rental:booking:*',
      'ssss:thread:*',
      'ssss:conversation:*',
      'ssss:memory:*',
      'ssss:task:*',
      'ssss:conflict:*',
      'write:event',
    ],
  },
  'assistant:workshop': { kind: 'agent', capabilities: ['ssss:task:*', 'ssss:run:*', 'ssss:memory:*', 'write:event'] },
  'service:messages': { kind: 'service', capabilities: ['write:event'] },
} as const;

export type SampleActor = keyof typeof sampleActors;

/** One envelope of the sample's history. `causedBy` names an earlier step. */
export interface SampleStep {
  readonly id: string;
  /** Steps of one group refer to earlier groups only, so they may run at once. */
  readonly group: number;
  readonly actor: SampleActor;
  readonly correlation: string;
  readonly intent: string;
  readonly causedBy?: string;
  readonly change: { readonly path: string; readonly text: string } | { readonly subject: string; readonly payload: object };
}

interface Chapter {
  readonly actor: SampleActor;
  readonly correlation: string;
  readonly intent: string;
  readonly causedBy?: string;
  /** Path prefixes, in the order in which they are written. */
  readonly prefixes: readonly string[];
}

interface Incident {
  readonly id: string;
  readonly actor: SampleActor;
  readonly correlation: string;
  readonly intent: string;
  readonly subject: string;
  readonly payload: object;
}

// References point to earlier chapters only: resources before assets, bicycles and threads before bookings (§9).
const chapters: readonly (Chapter | Incident)[] = [
  { actor: 'human:mei', correlation: 'opening-the-shop', intent: 'Set up who may do what', prefixes: ['roles/', 'rules/'] },
  {
    actor: 'human:mei',
    correlation: 'opening-the-shop',
    intent: 'Connect what the shop owns',
    prefixes: ['resources/', 'assets/', 'models/', 'pages/'],
  },
  {
    actor: 'human:jonas',
    correlation: 'opening-the-shop',
    intent: 'Write down how we work',
    prefixes: ['skills/', 'memory/invariants/', 'memory/lore/', 'memory/anti-patterns/', 'memory/patterns/'],
  },
  {
    actor: 'human:mei',
    correlation: 'opening-the-shop',
    intent: 'Hire the assistants',
    prefixes: ['assistants/', 'workflows/', 'triggers/', 'primitives/', 'migrations/', 'releases/'],
  },
  { actor: 'human:jonas', correlation: 'opening-the-shop', intent: 'Count the bicycles', prefixes: ['bikes/'] },
  {
    id: 'tanaka-writes',
    actor: 'service:messages',
    correlation: 'tanaka-rental',
    intent: 'A message came in',
    subject: 'threads/tanaka-rental/CONVERSATION.md',
    payload: { event_type: 'message_received', language: 'ja', channel: 'web' },
  },
  {
    actor: 'assistant:front-desk',
    correlation: 'tanaka-rental',
    intent: 'Answer and book',
    causedBy: 'tanaka-writes',
    prefixes: ['threads/tanaka-rental/', 'bookings/kc-2026-0912-tanaka'],
  },
  {
    id: 'ferrer-calls',
    actor: 'service:messages',
    correlation: 'ferrer-flat-tyre',
    intent: 'A message came in',
    subject: 'threads/ferrer-flat-tyre/CONVERSATION.md',
    payload: { event_type: 'message_received', language: 'es', channel: 'chat' },
  },
  { actor: 'assistant:front-desk', correlation: 'ferrer-flat-tyre', intent: 'Answer', causedBy: 'ferrer-calls', prefixes: ['threads/'] },
  {
    actor: 'assistant:front-desk',
    correlation: 'desk-work',
    intent: 'Keep the bookings',
    prefixes: ['bookings/', 'memory/preferences/', 'memory/facts/', 'memory/concepts/'],
  },
  {
    id: 'shop-opens',
    actor: 'human:jonas',
    correlation: 'morning-2026-09-14',
    intent: 'Open up',
    subject: 'workflows/morning-checklist/WORKFLOW.md',
    payload: { event_type: 'shop_opened', at: '2026-09-14T05:30:00Z' },
  },
  {
    actor: 'assistant:workshop',
    correlation: 'morning-2026-09-14',
    intent: 'Run the morning checklist',
    causedBy: 'shop-opens',
    prefixes: ['tasks/morning-checklist/', 'runs/run-20260914-morning/'],
  },
  { actor: 'assistant:workshop', correlation: 'workshop-work', intent: 'Plan the repairs', prefixes: ['tasks/', 'runs/'] },
  { actor: 'assistant:front-desk', correlation: 'desk-work', intent: 'Report a contradiction', prefixes: ['conflicts/'] },
  { actor: 'human:mei', correlation: 'desk-work', intent: 'Tidy up', prefixes: [''] },
];

/** The sample's files as the story of the shop: every file is written exactly once, what refers to it later. */
export const tellSampleStory = (files: readonly SampleFile[]): readonly SampleStep[] => {
  const left = new Map(files.map(file => [file.path, file]));
  const steps: SampleStep[] = [];
  let group = 0;
  for (const chapter of chapters) {
    const { actor, correlation, intent } = chapter;
    if ('subject' in chapter) {
      const { id, subject, payload } = chapter;
      steps.push({ id, group: ++group, actor, correlation, intent, change: { subject, payload } });
      continue;
    }
    for (const prefix of chapter.prefixes) {
      group += 1;
      for (const file of [...left.values()].filter(one => one.path.startsWith(prefix))) {
        left.delete(file.path);
        const cause = chapter.causedBy === undefined ? {} : { causedBy: chapter.causedBy };
        steps.push({ id: file.path, group, actor, correlation, intent, ...cause, change: file });
      }
    }
  }
  return steps;
};
