import type { Command } from 'commander';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

interface CommandWords {
  /** `lease acquire`; empty for the program itself. */
  readonly path: string;
  readonly description: string;
  readonly subcommands: readonly string[];
  readonly options: readonly { readonly long: string; readonly description: string; readonly takesValue: boolean }[];
}

/** A completion script for a shell, made from the command definitions, so that it cannot know fewer options than the program. */
export const completionScript = (program: Command, shell: Shell): string => {
  const commands = commandWords(program);
  if (shell === 'bash') return bashScript(commands);
  return shell === 'zsh' ? zshScript(commands) : fishScript(commands);
};

const commandWords = (program: Command): readonly CommandWords[] => {
  const globals = program.options;
  const wordsOf = (command: Command, path: string): CommandWords => ({
    path,
    description: command.summary() || command.description(),
    subcommands: command.commands.map(child => child.name()),
    options: (command === program ? globals : [...command.options, ...globals]).map(option => ({
      long: option.long ?? '',
      description: option.description,
      takesValue: option.required || option.optional,
    })),
  });
  const walk = (command: Command, path: string): CommandWords[] => [
    wordsOf(command, path),
    ...command.commands.flatMap(child => walk(child, `${path} ${child.name()}`.trim())),
  ];
  return walk(program, '');
};

const wordList = (command: CommandWords): string =>
  [...command.subcommands, ...command.options.map(option => option.long), '--help'].join(' ');

// Options that take a value, and arguments, complete as file names.
const bashScript = (commands: readonly CommandWords[]): string => `# bash completion for sheaf: source <(sheaf completion bash)
_sheaf() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in
      -*) ;;
      *) case " \${_sheaf_paths} " in *" \${path:+$path:}$word "*) path="\${path:+$path:}$word" ;; esac ;;
    esac
  done
  local words=""
  case "$path" in
${commands.map(command => `    "${command.path.replace(/ /g, ':')}") words="${wordList(command)}" ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [ \${#COMPREPLY[@]} -eq 0 ]; then COMPREPLY=($(compgen -f -- "$current")); fi
}
_sheaf_paths="${commands
  .map(command => command.path.replace(/ /g, ':'))
  .filter(path => path !== '')
  .join(' ')}"
complete -o filenames -F _sheaf sheaf
`;

const quoted = (text: string): string => `'${text.replace(/'/g, "'\\''")}'`;
const described = (name: string, description: string): string => quoted(`${name.replace(/:/g, '\\:')}:${description.replace(/:/g, '\\:')}`);

const zshScript = (commands: readonly CommandWords[]): string => `#compdef sheaf
# zsh completion for sheaf: sheaf completion zsh > ~/.zfunc/_sheaf
_sheaf() {
  local path="" word
  local -a items
  for word in \${words[2,CURRENT-1]}; do
    [[ $word == -* ]] && continue
    [[ " $_sheaf_paths " == *" \${path:+$path:}$word "* ]] && path="\${path:+$path:}$word"
  done
  case "$path" in
${commands
  .map(command => {
    const children = commands.filter(child => child.path !== '' && child.path.split(' ').slice(0, -1).join(' ') === command.path);
    const items = [
      ...children.map(child => described(child.path.split(' ').at(-1) ?? '', child.description)),
      ...command.options.map(option => described(option.long, option.description)),
    ];
    return `    ${quoted(command.path.replace(/ /g, ':'))}) items=(${items.join(' ')}) ;;`;
  })
  .join('\n')}
  esac
  _describe 'sheaf' items || _files
}
_sheaf_paths=${quoted(
  commands
    .map(command => command.path.replace(/ /g, ':'))
    .filter(path => path !== '')
    .join(' '),
)}
compdef _sheaf sheaf
`;

const fishScript = (commands: readonly CommandWords[]): string => {
  const lines = ['# fish completion for sheaf: sheaf completion fish > ~/.config/fish/completions/sheaf.fish'];
  for (const command of commands) {
    const parts = command.path.split(' ').filter(part => part !== '');
    const seen = parts.map(part => `__fish_seen_subcommand_from ${part}`).join('; and ');
    const here = parts.length === 0 ? '__fish_use_subcommand' : seen;
    for (const name of command.subcommands) {
      const child = commands.find(one => one.path === `${command.path} ${name}`.trim());
      lines.push(`complete -c sheaf -f -n ${quoted(here)} -a ${name} -d ${quoted(child?.description ?? '')}`);
    }
    const options =
      parts.length === 0 ? command.options : command.options.filter(option => !commands[0]?.options.some(one => one.long === option.long));
    const condition = parts.length === 0 ? '' : ` -n ${quoted(seen)}`;
    for (const option of options) {
      lines.push(
        `complete -c sheaf${condition} -l ${option.long.replace(/^--/, '')}${option.takesValue ? ' -r' : ''} -d ${quoted(option.description)}`,
      );
    }
  }
  return `${lines.join('\n')}\n`;
};
