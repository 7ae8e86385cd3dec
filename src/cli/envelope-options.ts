import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { type KernelResponse, requestHash } from '#api';
import { askYesNo, canAsk } from './ask.ts';
import { CliError, UsageError } from './cli-error.ts';
import type { CommandContext } from './command-context.ts';
import { printResponse } from './render/response.ts';

/** Options of every command that writes one envelope. */
export interface EnvelopeOptions {
  readonly key?: string;
  readonly dryRun?: boolean;
  readonly intent?: string;
  readonly ifMatch?: string;
  readonly ifAbsent?: boolean;
  readonly lease?: string;
  readonly operation?: string;
  readonly confirm?: string | true;
}

/** What distinguishes one envelope from another; the options add the rest. */
export interface EnvelopeChange {
  readonly type: 'operation' | 'patch' | 'event' | 'delete';
  readonly path: string;
  readonly content?: string;
  readonly patches?: Readonly<Record<string, unknown>>;
  readonly primitive_type?: string;
}

export const addEnvelopeOptions = (command: Command): Command =>
  command
    .option('--key <KEY>', 'idempotency key: the same request under one key is applied once (default: a random one)')
    .option('--dry-run', 'check everything, change nothing')
    .option('--intent <TEXT>', 'why this change is made')
    .option('--if-match <HASH>', 'refuse unless the stored document has this hash (sha256:…)')
    .option('--if-absent', 'refuse if the document exists')
    .option('--lease <ID>', 'the lease to write under, with --operation')
    .option('--operation <ID>', 'the operation id, for a lease the one it was acquired with')
    .option(
      '--confirm [HASH]',
      'confirm what policy wants confirmed: asks on a terminal, or takes the request hash that the refusal named',
    );

/** Sends one envelope and prints its response; a refusal ends the command with status 1. */
export const submitOne = async (context: CommandContext, options: EnvelopeOptions, change: EnvelopeChange): Promise<void> => {
  await printResponse(await submit(context, options, change), context.printer);
};

const submit = async (context: CommandContext, options: EnvelopeOptions, change: EnvelopeChange): Promise<KernelResponse> => {
  const { ifMatch, ifAbsent = false } = options;
  if (ifMatch !== undefined && ifAbsent) throw new UsageError('--if-match and --if-absent exclude each other');
  const vault = await context.vault();
  const { principal } = await context.caller();
  const envelope = {
    type: change.type,
    workspace_id: vault.workspaceId,
    idempotency_key: options.key ?? randomUUID(),
    path: change.path,
    ...present({ content: change.content, patches: change.patches, primitive_type: change.primitive_type }),
    ...present({ operation_id: options.operation, lease_id: options.lease, intent: options.intent }),
    ...(options.dryRun ? { dry_run: true } : {}),
  };
  const hash = options.confirm === true ? await confirmedHash(context, envelope, principal) : options.confirm;
  return vault.execute(envelope, {
    principal,
    ...present({ confirmation: hash, ifMatch: ifAbsent ? null : ifMatch }),
  });
};

const present = <T extends object>(members: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;

// A confirmation is a person's answer about exactly this request, so it is asked for on a terminal or given as its hash, never assumed.
const confirmedHash = async (context: CommandContext, envelope: HashedEnvelope, principal: unknown): Promise<string> => {
  if (!canAsk()) {
    throw new CliError(
      'confirmation_needed',
      'nobody can be asked here: give the request hash that the refusal named, --confirm HASH, with the same --key',
    );
  }
  const id = typeof principal === 'object' && principal !== null && 'id' in principal ? String(principal.id) : '';
  if (await askYesNo(context, `${envelope.type} ${envelope.path} as ${id}?`)) return requestHash(envelope, id);
  throw new CliError('confirmation_needed', 'not confirmed; nothing was changed');
};

type HashedEnvelope = EnvelopeChange & { readonly workspace_id: string; readonly idempotency_key: string };
