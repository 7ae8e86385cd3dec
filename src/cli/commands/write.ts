import type { Command } from 'commander';
import { JsonSyntaxError, parseStrictJson, type Vault } from '#api';
import { parseAssignments } from '../assignments.ts';
import { CliError, UsageError } from '../cli-error.ts';
import { type CommandContext, readTextInput } from '../command-context.ts';
import { withExamples } from '../command-help.ts';
import { addEnvelopeOptions, type EnvelopeOptions, submitOne } from '../envelope-options.ts';
import type { Bind } from '../runner.ts';

/** `write`, `patch`, `append`, `event`, `rm`: one envelope each. */
export const addWriteCommands = (program: Command, bind: Bind): void => {
  addWrite(program, bind);
  addPatch(program, bind);
  addAppend(program, bind);
  addEvent(program, bind);
  addRemove(program, bind);
};

const addWrite = (program: Command, bind: Bind): void => {
  const command = program
    .command('write')
    .summary('create or replace a document')
    .description('Creates or replaces one document with the given text (an `operation` envelope).')
    .argument('<PATH>', 'the document, relative to the vault, ending in .md')
    .argument('[FILE]', 'the complete text (default: standard input)')
    .action(
      bind(async (context, path: string, file: string | undefined, options: EnvelopeOptions) => {
        await submitOne(context, options, { type: 'operation', path, content: await readTextInput(file, context) });
      }),
    );
  withExamples(addEnvelopeOptions(command), [
    'sheaf write rules/tone.md tone.md',
    'cat tone.md | sheaf write rules/tone.md --if-absent',
    'sheaf write rules/tone.md tone.md --dry-run',
  ]);
};

interface PatchOptions extends EnvelopeOptions {
  readonly jsonPatch?: string;
  readonly body?: string;
}

const addPatch = (program: Command, bind: Bind): void => {
  const command = program
    .command('patch')
    .summary('change single frontmatter values')
    .description(
      'Changes the named frontmatter keys and keeps every other byte (a `patch` envelope). key=value is typed as frontmatter would read it; key:=JSON takes any value.',
    )
    .argument('<PATH>', 'the document')
    .argument('[ASSIGNMENT...]', 'key=value or key:=JSON')
    .option('--json-patch <FILE>', 'a JSON object of keys and values (- is standard input)')
    .option('--body <FILE>', 'the new body, or for append-type documents the text to append (- is standard input)')
    .action(
      bind(async (context, path: string, assignments: readonly string[], options: PatchOptions) => {
        await submitOne(context, options, { type: 'patch', path, patches: await gatherPatches(context, assignments, options) });
      }),
    );
  withExamples(addEnvelopeOptions(command), [
    'sheaf patch tasks/call-ferrer.md status=done',
    `sheaf patch rules/tone.md 'tags:=["voice","support"]'`,
    'sheaf patch rules/tone.md --body new-body.md',
  ]);
};

const gatherPatches = async (
  context: CommandContext,
  assignments: readonly string[],
  options: PatchOptions,
): Promise<Record<string, unknown>> => {
  const { jsonPatch, body } = options;
  if (assignments.length === 0 && jsonPatch === undefined && body === undefined) {
    throw new UsageError('nothing to patch: give key=value, --json-patch FILE or --body FILE');
  }
  if (jsonPatch === '-' && body === '-') throw new UsageError('--json-patch and --body cannot both read standard input');
  const patches = parseAssignments(assignments);
  const add = (key: string, value: unknown): void => {
    if (Object.hasOwn(patches, key)) throw new UsageError(`'${key}' is given twice; a patch sets a key once`);
    patches[key] = value;
  };
  if (jsonPatch !== undefined) {
    for (const [key, value] of Object.entries(parseObject(await readTextInput(jsonPatch, context), jsonPatch))) add(key, value);
  }
  if (body !== undefined) add('__body__', await readTextInput(body, context));
  return patches;
};

const parseObject = (text: string, file: string): object => {
  try {
    const value = parseStrictJson(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new CliError('unreadable_input', `'${file}' is not JSON: ${error.message}`, { cause: error });
  }
  throw new CliError('unreadable_input', `'${file}' holds no JSON object of keys and values`);
};

const addAppend = (program: Command, bind: Bind): void => {
  const command = program
    .command('append')
    .summary('append to a thread, conversation or run')
    .description(
      'Appends text to the body of an append-type document: a thread, a conversation, a run (a `patch` envelope with only a body).',
    )
    .argument('<PATH>', 'the document')
    .argument('[FILE]', 'the text to append (default: standard input)')
    .action(
      bind(async (context, path: string, file: string | undefined, options: EnvelopeOptions) => {
        const vault = await context.vault();
        const type = await appendableType(vault, path);
        const text = await readTextInput(file, context);
        // Naming the type makes the kernel refuse, should the document have become one whose body a patch replaces.
        await submitOne(context, options, { type: 'patch', path, patches: { __body__: text }, ...type });
      }),
    );
  withExamples(addEnvelopeOptions(command), [
    `printf '### turn 3 — user — 2026-05-16T14:02:00Z\\nThank you!\\n' | sheaf append threads/ferrer/CONVERSATION.md`,
  ]);
};

/** The type to assert for an append; refuses documents whose body a patch would replace. What is no document is left to the kernel to refuse. */
const appendableType = async (vault: Vault, path: string): Promise<{ readonly primitive_type?: string }> => {
  const type = (await vault.read(path))?.type ?? null;
  const definition = type === null ? null : vault.registry.resolve(type);
  if (definition === null) return {};
  if (definition.append_only) return { primitive_type: definition.qualified };
  throw new CliError(
    'not_appendable',
    `'${path}' is a ${definition.qualified}, which is replaced, not appended to: use \`sheaf patch ${path} --body FILE\``,
  );
};

const addEvent = (program: Command, bind: Bind): void => {
  const command = program
    .command('event')
    .summary('record an event in the log')
    .description('Records an event about a subject without touching a document (an `event` envelope).')
    .argument('<SUBJECT>', 'what the event is about: a path, which need not exist')
    .argument('[JSON]', 'the payload (- is standard input; default: none)')
    .action(
      bind(async (context, path: string, json: string | undefined, options: EnvelopeOptions) => {
        const content = json === '-' ? await readTextInput('-', context) : json;
        await submitOne(context, options, { type: 'event', path, ...(content === undefined ? {} : { content }) });
      }),
    );
  withExamples(addEnvelopeOptions(command), [`sheaf event shop/door '{"event_type":"opened"}'`]);
};

const addRemove = (program: Command, bind: Bind): void => {
  const command = program
    .command('rm')
    .summary('remove a document')
    .description('Removes one document (a `delete` envelope). Its events stay in the log.')
    .argument('<PATH>', 'the document')
    .action(
      bind(async (context, path: string, options: EnvelopeOptions) => {
        await submitOne(context, options, { type: 'delete', path });
      }),
    );
  withExamples(addEnvelopeOptions(command), ['sheaf rm memory/facts/old.md', 'sheaf rm memory/facts/old.md --if-match sha256:…']);
};
