import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { withExamples } from '../command-help.ts';
import { type CallResult, invoke } from '../invoke.ts';
import { parseSeconds } from '../option-values.ts';
import { relativeTime } from '../output/instant.ts';
import type { Cell } from '../output/table.ts';
import { visibleLine } from '../output/terminal-text.ts';
import type { Bind } from '../runner.ts';

type Lease = CallResult<'lease.acquire'>;

interface LeaseOptions {
  readonly operation: string;
  readonly ttl?: number;
}

/** `lease acquire|renew|release|ls` (§7). */
export const addLeaseCommands = (program: Command, bind: Bind): void => {
  const group = program
    .command('lease')
    .summary('claim documents for a unit of work')
    .description(
      'Claims a path for one unit of work, so that no other worker writes it meanwhile. Leases coordinate; they grant no rights.',
    );
  withExamples(group, ['sheaf lease acquire tasks/a.md --operation job-7', 'sheaf lease ls']);
  const operation = ['--operation <ID>', 'the unit of work; writes under the lease carry the same id'] as const;
  const ttl = ['--ttl <SECONDS>', 'how long it lives without being renewed (default: 60, at most 86400)', parseSeconds] as const;

  const acquire = group
    .command('acquire')
    .description('Acquires a lease on a path; refused while another is live.')
    .argument('<PATH>', 'the document to claim')
    .requiredOption(...operation)
    .option(...ttl)
    .action(
      bind(async (context, target: string, options: LeaseOptions) => {
        await printLease(
          context,
          await invoke(context, 'lease.acquire', { target, operation_id: options.operation, ttl_seconds: options.ttl }),
        );
      }),
    );
  withExamples(acquire, [
    'sheaf lease acquire tasks/a.md --operation job-7 --ttl 300',
    'sheaf patch tasks/a.md status=done --lease LEASE_ID --operation job-7',
  ]);

  const renew = group
    .command('renew')
    .description('Extends a lease that you hold.')
    .argument('<LEASE>', 'the lease id')
    .requiredOption(...operation)
    .option(...ttl)
    .action(
      bind(async (context, leaseId: string, options: LeaseOptions) => {
        await printLease(
          context,
          await invoke(context, 'lease.renew', { lease_id: leaseId, operation_id: options.operation, ttl_seconds: options.ttl }),
        );
      }),
    );
  withExamples(renew, ['sheaf lease renew LEASE_ID --operation job-7']);

  const release = group
    .command('release')
    .description('Gives up a lease that you hold.')
    .argument('<LEASE>', 'the lease id')
    .requiredOption(...operation)
    .action(
      bind(async (context, leaseId: string, options: LeaseOptions) => {
        const released = await invoke(context, 'lease.release', { lease_id: leaseId, operation_id: options.operation });
        await context.printer.value(released);
        await context.printer.line(`${context.printer.palette.good('released')}  ${visibleLine(released.target)}`);
      }),
    );
  withExamples(release, ['sheaf lease release LEASE_ID --operation job-7']);

  const list = group
    .command('ls')
    .description('Lists the live leases that you may see.')
    .action(
      bind(async context => {
        const { printer } = context;
        const { leases } = await invoke(context, 'lease.list', {});
        for (const lease of leases) await printer.value(lease);
        await printer.table(
          leases.map(lease => leaseRow(lease, context)),
          0,
        );
        if (leases.length === 0) printer.note('no live leases');
      }),
    );
  withExamples(list, ['sheaf lease ls --json']);
};

const printLease = async (context: CommandContext, lease: Lease): Promise<void> => {
  await context.printer.value(lease);
  await context.printer.table([leaseRow(lease, context)]);
};

const leaseRow = (lease: Lease, { printer }: CommandContext): Cell[] => [
  { text: visibleLine(lease.target), style: printer.palette.strong },
  { text: lease.lease_id },
  { text: visibleLine(lease.operation_id) },
  { text: visibleLine(lease.principal_id) },
  { text: `ends ${relativeTime(lease.expires_at, new Date())}`, style: printer.palette.warn },
  { text: lease.expires_at, style: printer.palette.dim },
];
