import { z } from 'zod';
import { codeBlock, oneLine } from '../fence.ts';

const writeShape = z.strictObject({
  type: z.enum(['operation', 'patch', 'event', 'delete']),
  path: z.string(),
  content: z.string().optional(),
  patches: z.record(z.string(), z.unknown()).optional(),
  /** The version that it changes, as it was when the run asked; null = none. */
  ifMatch: z.string().nullable().optional(),
  /** Why it needs a person. */
  why: z.string(),
});

const approvalShape = z.strictObject({
  version: z.literal(1),
  /** Who wants it: a title, for people. */
  who: z.string(),
  /** The texts from outside that the run had read. */
  sources: z.array(z.string()),
  action: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('write'), writes: z.array(writeShape).min(1) }),
    z.strictObject({ kind: z.literal('command'), name: z.string(), argv: z.array(z.string()).readonly() }),
    z.strictObject({ kind: z.literal('http'), name: z.string(), method: z.string(), url: z.string(), body: z.string().nullable() }),
  ]),
});

/** What a run may do only once a person has approved it, word for word. */
export type Approval = z.infer<typeof approvalShape>;
export type ProposedWrite = z.infer<typeof writeShape>;

/**
 * The question that a person answers. It shows everything that approval would do, and ends with the same as JSON, so that what is done can be read
 * back from what was shown.
 */
export const approvalQuestion = (approval: Approval): string => {
  const read =
    approval.sources.length === 0 ? '' : ` It has read text from outside: ${approval.sources.map(source => oneLine(source)).join('; ')}.`;
  return [
    `${oneLine(approval.who)} asks for your approval.${read}`,
    '',
    ...shown(approval),
    '',
    'Approving does exactly this:',
    '',
    `${marker}\n${JSON.stringify(approval)}\n~~~`,
  ].join('\n');
};

/** What was asked; null for a text that is not exactly such a question. */
export const readApproval = (question: string): Approval | null => {
  const start = question.lastIndexOf(`${marker}\n`);
  if (start < 0 || !question.endsWith('\n~~~')) return null;
  try {
    const approval = approvalShape.parse(JSON.parse(question.slice(start + marker.length + 1, -4)));
    // Whatever was shown beside the JSON must be what the JSON says.
    return approvalQuestion(approval) === question ? approval : null;
  } catch {
    return null;
  }
};

const marker = '~~~json sheaf-approval';

const shown = ({ action }: Approval): readonly string[] => {
  if (action.kind === 'command')
    return [`run the program '${action.name}':`, '', codeBlock(action.argv.map(word => JSON.stringify(word)).join('\n'), Infinity)];
  if (action.kind === 'http') {
    return [
      `call the service '${action.name}':`,
      '',
      codeBlock(`${action.method} ${action.url}${action.body === null ? '' : `\n\n${action.body}`}`, Infinity),
    ];
  }
  return action.writes.flatMap((write, index) => [
    `${index === 0 ? '' : '\n'}${index + 1}. ${verbs[write.type]} ${oneLine(write.path, 500)} (${write.why})`,
    ...(write.content === undefined && write.patches === undefined
      ? []
      : ['', codeBlock(write.content ?? JSON.stringify(write.patches, null, 2), Infinity)]),
  ]);
};

const verbs = { operation: 'write', patch: 'change', event: 'record an event about', delete: 'delete' } as const;
