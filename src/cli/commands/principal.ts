import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { withExamples } from '../command-help.ts';
import { invoke } from '../invoke.ts';
import { parseExpiry } from '../option-values.ts';
import { relativeTime } from '../output/instant.ts';
import type { Cell } from '../output/table.ts';
import { visibleLine } from '../output/terminal-text.ts';
import type { Bind } from '../runner.ts';

/** `principal add|ls|revoke|token`: who else may act on this vault from this machine (§6.6). */
export const addPrincipalCommands = (program: Command, bind: Bind): void => {
  const group = program
    .command('principal')
    .summary('say who may do what')
    .description(
      'Registers people, agents and services with the capabilities you grant them. They are kept on this machine, outside the vault.',
    );
  withExamples(group, ['sheaf principal add agent:writer --kind agent --cap ssss:memory:* write:event', 'sheaf ls --as agent:writer']);
  const expires = [
    '--expires <T>',
    'when the token ends: an ISO 8601 instant, or a span such as 12h or 30d (default: never)',
    parseExpiry,
  ] as const;

  const add = group
    .command('add')
    .description('Registers a principal and prints its token, which is shown only this once.')
    .argument('<ID>', 'a stable id, such as agent:writer')
    .addOption(new Option('--kind <KIND>', 'what it is').choices(['human', 'agent', 'service']).makeOptionMandatory())
    .option('--cap <CAPABILITY...>', 'what it may do, such as ssss:memory:* or write:event (default for an agent: read structural types)')
    .option('--role <ROLE...>', 'also what roles/<ROLE>/ROLE.md grants, as far as a person wrote it')
    .option(...expires)
    .action(
      bind(async (context, id: string, { kind, cap, role, expires: end }: NewPrincipalOptions) => {
        await printToken(context, await invoke(context, 'principal.add', { id, kind, capabilities: cap, roles: role, expires_at: end }));
        await tellEmptyRoles(context, role ?? []);
      }),
    );
  withExamples(add, [
    'sheaf principal add agent:reader --kind agent',
    'sheaf principal add agent:writer --kind agent --cap ssss:memory:* write:event',
    'sheaf principal add human:mei --kind human --cap "*:*" --expires 30d',
    'sheaf principal add agent:desk --kind agent --role front-desk',
  ]);

  const list = group
    .command('ls')
    .description('Lists the registered principals, without their tokens.')
    .action(
      bind(async context => {
        const { printer } = context;
        const { principals } = await invoke(context, 'principal.list', {});
        for (const principal of principals) await printer.value(principal);
        const now = new Date();
        await printer.table(
          principals.map((principal): Cell[] => [
            { text: visibleLine(principal.id), style: printer.palette.strong },
            { text: principal.kind },
            stateCell(principal, now, context),
            { text: visibleLine(grantsOf(principal)), style: printer.palette.dim },
          ]),
          3,
        );
        if (principals.length === 0) printer.note('nobody but you: register others with `sheaf principal add`');
      }),
    );
  withExamples(list, ['sheaf principal ls']);

  const revoke = group
    .command('revoke')
    .description('Voids a principal and its token at once.')
    .argument('<ID>', 'the principal')
    .action(
      bind(async (context, id: string) => {
        const revoked = await invoke(context, 'principal.revoke', { id });
        await context.printer.value(revoked);
        await context.printer.line(`${context.printer.palette.good('revoked')}  ${visibleLine(revoked.id)}`);
      }),
    );
  withExamples(revoke, ['sheaf principal revoke agent:writer']);

  const token = group
    .command('token')
    .description('Gives a principal a new token and voids the old one.')
    .argument('<ID>', 'the principal')
    .option(...expires)
    .action(
      bind(async (context, id: string, options: { readonly expires?: string }) => {
        await printToken(context, await invoke(context, 'principal.token', { id, expires_at: options.expires }));
      }),
    );
  withExamples(token, ['sheaf principal token agent:writer --expires 12h']);
};

interface NewPrincipalOptions {
  readonly kind: string;
  readonly cap?: readonly string[];
  readonly role?: readonly string[];
  readonly expires?: string;
}

/** A role that gives nothing is no error, because it may give something later; but whoever names one should know. */
const tellEmptyRoles = async (context: CommandContext, roles: readonly string[]): Promise<void> => {
  const { principals } = await context.vault();
  for (const role of roles) {
    if ((await principals.expandRoles([role])).length > 0) continue;
    context.printer.note(
      `role '${role}' grants nothing now: only a version of roles/${role}/ROLE.md that a person wrote here counts, in a vault that was trusted (\`sheaf trust\`)`,
    );
  }
};

const printToken = async ({ printer }: CommandContext, made: { readonly id: string; readonly token: string }): Promise<void> => {
  await printer.value(made);
  await printer.line(`${printer.palette.strong(visibleLine(made.id))}  ${made.token}`);
  printer.note('keep the token now: only its hash is stored, and it is not shown again');
};

const grantsOf = ({
  capabilities,
  roles = [],
}: {
  readonly capabilities: readonly string[];
  readonly roles?: readonly string[] | undefined;
}): string => [...capabilities, ...roles.map(role => `role=${role}`)].join(' ');

const stateCell = (
  principal: { readonly expires_at: string | null; readonly revoked_at: string | null },
  now: Date,
  { printer }: CommandContext,
): Cell => {
  const { good, bad, warn } = printer.palette;
  if (principal.revoked_at !== null) return { text: `revoked ${relativeTime(principal.revoked_at, now)}`, style: bad };
  if (principal.expires_at === null) return { text: 'live', style: good };
  const ended = Date.parse(principal.expires_at) <= now.getTime();
  return { text: `${ended ? 'expired' : 'expires'} ${relativeTime(principal.expires_at, now)}`, style: ended ? bad : warn };
};
