import type { Command } from 'commander';
import { withExamples } from '../command-help.ts';
import { invoke } from '../invoke.ts';
import type { Cell } from '../output/table.ts';
import { visibleLine } from '../output/terminal-text.ts';
import type { Bind } from '../runner.ts';

/** `registry show|lock|verify`: the types of the vault (§5.6). */
export const addRegistryCommands = (program: Command, bind: Bind): void => {
  const group = program
    .command('registry')
    .summary('show and pin the types of the vault')
    .description('Shows the composed type registry, pins it with an integrity lock, and verifies the lock.');
  withExamples(group, ['sheaf registry show', 'sheaf registry lock']);

  const show = group
    .command('show')
    .description('Shows every document type, or all the rules of one.')
    .argument('[TYPE]', 'a type, bare (memory), qualified (ssss:memory) or by alias')
    .action(
      bind(async (context, type: string | undefined) => {
        const { printer } = context;
        await context.vault({ acceptRegistryDrift: true });
        const registry = await invoke(context, 'registry.show', { type });
        await printer.value(registry);
        if (printer.json) return;
        if (type === undefined) await printer.table(registry.document_types.map(one => typeRow(one, printer.palette)));
        else
          await printer.table(
            Object.entries(registry.document_types[0] ?? {})
              .filter(hasContent)
              .flatMap(([key, value]) => ruleRows(key, value, printer.palette)),
          );
        printer.note(`SSSS ${registry.spec_version}, ${registry.digest}`);
      }),
    );
  withExamples(show, ['sheaf registry show', 'sheaf registry show memory', 'sheaf registry show --json']);

  const lock = group
    .command('lock')
    .description('Pins the registry as it is now; the vault then refuses to open on any other until it is locked again.')
    .action(
      bind(async context => {
        await context.vault({ acceptRegistryDrift: true });
        const { digest, file } = await invoke(context, 'registry.lock', {});
        await context.printer.value({ digest, file });
        await context.printer.line(`${context.printer.palette.good('locked')}  ${digest}  ${file}`);
      }),
    );
  withExamples(lock, ['sheaf registry lock']);

  const verify = group
    .command('verify')
    .description('Composes the registry files anew and compares them with the lock.')
    .action(
      bind(async context => {
        await context.vault({ acceptRegistryDrift: true });
        const found = await invoke(context, 'registry.verify', {});
        await context.printer.value(found);
        await context.printer.line(`${context.printer.palette.good(found.locked ? 'as locked' : 'sound, not locked')}  ${found.digest}`);
      }),
    );
  withExamples(verify, ['sheaf registry verify']);
};

type Style = (text: string) => string;

const typeRow = (type: Readonly<Record<string, unknown>>, palette: { readonly name: Style; readonly dim: Style }): Cell[] => {
  const required = Array.isArray(type.required_fields) ? type.required_fields.join(', ') : '';
  return [
    { text: visibleLine(String(type.qualified)), style: palette.name },
    { text: visibleLine(String(type.portability)) },
    { text: type.append_only === true ? 'append' : 'replace' },
    { text: visibleLine(required), style: palette.dim },
  ];
};

const hasContent = ([, value]: readonly [string, unknown]): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : value !== undefined;

/** One rule per row; maps (enums, patterns, references) are spread out as `enums.status`. */
const ruleRows = (key: string, value: unknown, palette: { readonly dim: Style }): Cell[][] => {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return Object.entries(value).flatMap(([name, inner]) => ruleRows(`${key}.${name}`, inner, palette));
  }
  const text = Array.isArray(value) ? value.join(', ') : String(value);
  return [[{ text: visibleLine(key), style: palette.dim }, { text: visibleLine(text) }]];
};
