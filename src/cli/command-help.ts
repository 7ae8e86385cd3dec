import { type Command, Help } from 'commander';

const examplesByCommand = new WeakMap<Command, readonly string[]>();

/** Gives a command its examples; help shows them before everything else. */
export const withExamples = (command: Command, examples: readonly string[]): Command => {
  examplesByCommand.set(command, examples);
  return command;
};

const examplesOf = (command: Command): readonly string[] => examplesByCommand.get(command) ?? [];

/** Help as people read it: what it does, examples to copy, then usage, arguments, options. Inherited by every subcommand. */
export const configureCommandHelp = (program: Command): void => {
  program.configureHelp({
    showGlobalOptions: true,
    commandDescription: () => '',
    commandUsage: command => plainNames(Help.prototype.commandUsage.call(new Help(), command)),
    subcommandTerm: command => plainNames([command.name(), ...command.registeredArguments.map(argumentTerm)].join(' ')),
    optionTerm: option => plainNames(option.flags),
    subcommandDescription: command => command.summary() || command.description(),
    formatHelp: (command, helper) => {
      const examples = examplesOf(command).map(example => `  $ ${example}`);
      const about = helper.boxWrap(command.description(), helper.helpWidth ?? 80);
      const head = [about, ...(examples.length > 0 ? ['', 'Examples:', ...examples] : [])];
      return `${head.join('\n')}\n\n${Help.prototype.formatHelp.call(helper, command, helper)}`;
    },
  });
};

/**
 * Ends every complaint about wrong usage with the help of the command that was meant, and with what is often meant in its place.
 * Settings are inherited when a command is made, so this comes after all of them.
 */
export const pointToHelp = (command: Command, path: string): void => {
  const advice = adviceByCommand.get(command);
  command.showHelpAfterError(`(see \`${path} --help\`${advice === undefined ? '' : `; ${advice}`})`);
  for (const child of command.commands) pointToHelp(child, `${path} ${child.name()}`);
};

const adviceByCommand = new WeakMap<Command, string>();

/** What is said beside the help of a command when it was used wrongly. */
export const withAdvice = (command: Command, advice: string): Command => {
  adviceByCommand.set(command, advice);
  return command;
};

const argumentTerm = (argument: { name(): string; required: boolean; variadic: boolean }): string => {
  const name = argument.variadic ? `${argument.name()}…` : argument.name();
  return argument.required ? name : `[${name}]`;
};

// `<PATH>` is written `PATH`, as in the reference; optional arguments keep their brackets.
const plainNames = (usage: string): string => usage.replace(/<([A-Z_0-9=…a-z]+)>/g, '$1').replace(/\.\.\./g, '…');
