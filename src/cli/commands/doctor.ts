import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { reasonOf } from '#errors';
import { SilentExit } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { withExamples } from '../command-help.ts';
import { type Finding, problem } from '../doctor/finding.ts';
import { checkMachine } from '../doctor/machine-checks.ts';
import { checkRoundTrip } from '../doctor/round-trip.ts';
import { checkOpenVault } from '../doctor/vault-checks.ts';
import { failedStatus } from '../exit-code.ts';
import { explanations } from '../explain.ts';
import { visibleLine } from '../output/terminal-text.ts';
import type { Bind } from '../runner.ts';
import { surroundingVault } from '../vault-session.ts';

/** `sheaf doctor`: what is wrong with this machine and this vault, and how to mend it. */
export const addDoctorCommand = (program: Command, bind: Bind): void => {
  const command = program
    .command('doctor')
    .summary('find what is wrong and how to mend it')
    .description(
      'Examines this machine (Node, SQLite, file locks, git, clock, disk), proves a round trip in a temporary vault, and examines the vault you are in. Every finding comes with its remedy. Exits with 1 when there is a problem.',
    )
    .action(
      bind(async context => {
        const findings = await examine(context);
        for (const finding of findings) await context.printer.value(finding);
        for (const finding of findings) await printFinding(context, finding);
        if (findings.some(finding => finding.status === 'problem')) throw new SilentExit(failedStatus);
      }),
    );
  withExamples(command, ['sheaf doctor', 'sheaf doctor --vault my-vault --json']);
};

const examine = async (context: CommandContext): Promise<readonly Finding[]> => {
  const root = vaultRoot(context);
  const machine = [...(await checkMachine(root ?? process.cwd())), await checkRoundTrip()];
  if (root === null) {
    context.printer.note('no vault here: only the machine was examined');
    return machine;
  }
  try {
    return [...machine, ...(await checkOpenVault(await context.vault({ acceptRegistryDrift: true })))];
  } catch (error) {
    return [...machine, openingFinding(error)];
  }
};

const vaultRoot = ({ globals }: CommandContext): string | null => {
  if (globals.vault === undefined) return surroundingVault(process.cwd());
  return existsSync(globals.vault) ? resolve(globals.vault) : null;
};

/** Why the vault does not open at all; its code has the remedy. */
const openingFinding = (error: unknown): Finding => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'internal_error';
  const known = explanations.find(one => one.code === code);
  const detail = `the vault does not open: ${reasonOf(error)} [${code}]`;
  return problem('vault', 'opening', detail, known === undefined ? 'Look at the named file.' : known.meaning);
};

const printFinding = async ({ printer }: CommandContext, finding: Finding): Promise<void> => {
  const { good, warn, bad, dim, strong } = printer.palette;
  const marks = { ok: good('ok      '), warning: warn('warning '), problem: bad('problem ') } as const;
  await printer.line(
    `${marks[finding.status]} ${dim(finding.area.padEnd(7))} ${strong(visibleLine(finding.check).padEnd(14))} ${visibleLine(finding.detail)}`,
  );
  if (finding.remedy !== undefined) await printer.line(`${' '.repeat(32)}${dim('→')} ${visibleLine(finding.remedy)}`);
};
