import { type Command, Option } from 'commander';
import { SilentExit, UsageError } from '../cli-error.ts';
import { type CommandContext, readTextInput } from '../command-context.ts';
import { withExamples } from '../command-help.ts';
import { failedStatus } from '../exit-code.ts';
import type { Cell } from '../output/table.ts';
import { visibleLine } from '../output/terminal-text.ts';
import { complainAbout } from '../render/complaint.ts';
import type { Bind } from '../runner.ts';

type SurfaceName = 'memory' | 'fs' | 'exec';

interface ConformanceFlags {
  readonly surface?: readonly SurfaceName[];
  readonly only?: string;
  readonly requirements?: boolean;
  readonly endpoint?: string;
  readonly token?: string;
  readonly spec?: string;
  readonly fixtures?: string;
  readonly 'pre-0.9Roles'?: boolean;
}

/** `sheaf conformance`: our scenarios, a copy of the standard, or a public fixture set, against this build (§12). */
export const addConformanceCommand = (program: Command, bind: Bind): void => {
  const command = program
    .command('conformance')
    .summary('check this build against the standard')
    .description(
      'Runs the conformance scenarios against this build, through the library on both stores and through `sheaf exec`, and prints a table. With --endpoint it runs what needs nothing but requests against a host of the contract over HTTP, and leaves there what it wrote. With --spec or --fixtures it checks those instead. Exits with 1 when anything differs.',
    )
    .addOption(new Option('--surface <NAME...>', 'only these surfaces').choices(['memory', 'fs', 'exec']))
    .option('--endpoint <URL>', 'run against a host over HTTP, such as the link that `sheaf serve` prints; use a vault made for it')
    .option('--token <TOKEN>', 'with an --endpoint that is no link: whom to act as (default: $SHEAF_TOKEN)')
    .option('--only <ID>', 'only scenarios whose id begins so')
    .option('--requirements', 'print each requirement with the scenarios that show it')
    .option('--spec <FILE>', 'check the examples and the §5.1 and §6.5 tables of a copy of the standard')
    .option('--fixtures <FILE>', 'run a public fixture set')
    .option('--pre-0.9-roles', 'take `actor.role` from envelopes, as old fixture sets need')
    .action(
      bind(async (context, flags: ConformanceFlags) => {
        if (flags.endpoint === undefined && flags.token !== undefined) throw new UsageError('--token belongs to --endpoint');
        if (flags.spec !== undefined) await checkSpec(context, flags.spec);
        if (flags.fixtures !== undefined) await checkFixtures(context, flags.fixtures, flags['pre-0.9Roles'] === true);
        if (flags.spec === undefined && flags.fixtures === undefined) await checkScenarios(context, flags);
      }),
    );
  withExamples(command, [
    'sheaf conformance',
    'sheaf conformance --only lease --surface fs',
    'sheaf conformance --spec ssss-spec.md',
    'sheaf conformance --endpoint "http://127.0.0.1:4177/#k=…"',
    'SHEAF_TOKEN=… sheaf conformance --endpoint https://sheaf.example.org',
  ]);
};

// Loaded on demand: the suite is large, and no other command needs it.
const suite = async () => {
  const [run, tables] = await Promise.all([import('../conformance/run-conformance.ts'), import('../conformance/report-table.ts')]);
  return { ...run, ...tables };
};

const checkScenarios = async (context: CommandContext, flags: ConformanceFlags): Promise<void> => {
  const { printer, signal } = context;
  const { sectionRows, requirementRows, skippedLines, gaps } = await suite();
  const report = await (flags.endpoint === undefined ? runHere(flags, signal) : runThere(flags, flags.endpoint, signal));
  // A table of nothing must not read as a proof.
  if (report.results.length === 0 && !signal.aborted) throw new UsageError(nothingRan(flags));
  const failures = report.results.filter(result => result.problems.length > 0);
  await printer.value({ results: report.results, disagreements: report.disagreements, skipped: report.skipped, gaps: gaps(report) });
  await printRows(context, sectionRows(report));
  if (flags.requirements === true) await printRows(context, requirementRows(report));
  for (const { id, surface, problems } of failures) {
    await printer.line(`${printer.palette.bad('failed')}  ${id} on ${surface}`);
    for (const problem of problems) await printer.line(`  ${visibleLine(problem)}`);
  }
  for (const text of report.disagreements) await printer.line(`${printer.palette.bad('surfaces differ')}  ${visibleLine(text)}`);
  for (const text of skippedLines(report)) printer.note(visibleLine(text));
  finish(context, failures.length + report.disagreements.length, `${report.results.length} runs`);
};

const runHere = async ({ surface, only }: ConformanceFlags, signal: AbortSignal) =>
  (await suite()).runConformance({
    signal,
    ...(surface === undefined ? {} : { surfaces: surface }),
    ...(only === undefined ? {} : { only }),
  });

const runThere = async ({ surface, only, token = process.env.SHEAF_TOKEN }: ConformanceFlags, url: string, signal: AbortSignal) => {
  if (surface !== undefined) throw new UsageError('--surface and --endpoint exclude each other');
  if (!URL.canParse(url)) throw new UsageError(`--endpoint '${url}' is no URL`);
  if (token === undefined && new URL(url).hash === '')
    throw new UsageError('--endpoint needs the link that `sheaf serve` prints, or --token, or the token in $SHEAF_TOKEN');
  const { openHttpEndpoint } = await import('../conformance/http-endpoint.ts');
  const { runAtEndpoint } = await suite();
  return runAtEndpoint(await openHttpEndpoint({ url, signal, ...(token === undefined ? {} : { token }) }), {
    signal,
    ...(only === undefined ? {} : { only }),
  });
};

const nothingRan = ({ only = '', surface }: ConformanceFlags): string => {
  const where = surface === undefined ? '' : ` on ${surface.join(', ')}`;
  return `no scenario whose id begins with '${only}' runs${where}: ids are such as path-001, see \`sheaf conformance --requirements\``;
};

const printRows = async ({ printer }: CommandContext, rows: readonly (readonly string[])[]): Promise<void> => {
  const { strong } = printer.palette;
  await printer.table(
    rows.map((row, index) => row.map((text): Cell => (index === 0 ? { text, style: strong } : { text: visibleLine(text) }))),
  );
};

const checkSpec = async (context: CommandContext, file: string): Promise<void> => {
  const { checkSpecification } = await import('../conformance/check-specification.ts');
  const report = await checkSpecification(await readTextInput(file, context));
  await context.printer.value(report);
  for (const problem of report.problems) await context.printer.line(`${context.printer.palette.bad('differs')}  ${visibleLine(problem)}`);
  finish(context, report.problems.length, `${report.examples} examples, ${report.types} types, ${report.codes} error codes`);
};

const checkFixtures = async (context: CommandContext, file: string, pre09Roles: boolean): Promise<void> => {
  const { runFixtures } = await import('../conformance/run-fixtures.ts');
  const report = await runFixtures(await readTextInput(file, context), { pre09Roles });
  await context.printer.value(report);
  for (const { name, problems } of report.failures) {
    await context.printer.line(`${context.printer.palette.bad('failed')}  ${visibleLine(name)}`);
    for (const problem of problems) await context.printer.line(`  ${visibleLine(problem)}`);
  }
  finish(context, report.failures.length, `${report.passed + report.failures.length} fixtures`);
};

const finish = ({ printer }: CommandContext, failed: number, what: string): void => {
  if (failed > 0) {
    complainAbout(printer, 'checks_failed', `${failed} of ${what} differ from the standard`, []);
    throw new SilentExit(failedStatus);
  }
  printer.note(`${printer.errorPalette.good('all as expected')}: ${what}`);
};
