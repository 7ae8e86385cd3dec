import { z } from 'zod';
import { errorCodes } from '#errors';
import type { ExecuteContext } from '#kernel';
import { defineCall, fieldIssueShape } from '../call.ts';
import { withoutHiddenText } from '../without-hidden-text.ts';

const codes = Object.keys(errorCodes) as [keyof typeof errorCodes, ...(keyof typeof errorCodes)[]];
const envelopeType = z.enum(['operation', 'patch', 'event', 'delete']);
const validation = { type: z.string().nullable(), errors: z.array(z.string()).readonly(), warnings: z.array(z.string()).readonly() };

const success = z.object({
  success: z.literal(true),
  type: envelopeType,
  operation_id: z.string(),
  path: z.string(),
  committed_at: z.string().nullable(),
  dry_run: z.boolean(),
  event_id: z.string().optional(),
  unchanged: z.literal(true).optional(),
  replay: z.literal(true).optional(),
  validation: z.object({ valid: z.literal(true), ...validation }),
});

const failure = z.object({
  success: z.literal(false),
  type: envelopeType.nullable(),
  operation_id: z.string(),
  path: z.string().nullable(),
  committed_at: z.null(),
  dry_run: z.boolean(),
  validation: z.object({ valid: z.literal(false), ...validation }),
  repair: z.object({ field_errors: z.array(fieldIssueShape).readonly() }),
  error: z.object({ code: z.enum(codes), message: z.string() }),
});

/** §6.5, success or failure. */
export const responseShape = z.discriminatedUnion('success', [success, failure]);

export const submitEnvelope = defineCall({
  name: 'envelope.submit',
  summary: 'Take one envelope through the Operation Contract; every failure is a response.',
  input: z.strictObject({
    /** Any JSON, untouched: the kernel's first stage is its only judge. */
    envelope: z.unknown(),
    /** The hash the writer read; null = the document must not exist yet. */
    if_match: z.string().nullable().optional(),
    correlation_id: z.string().min(1).optional(),
    causation_id: z.string().min(1).optional(),
  }),
  output: responseShape,
  handler: async (vault, caller, input) => {
    const context: ExecuteContext = {
      principal: caller.principal,
      ...(input.if_match === undefined ? {} : { ifMatch: input.if_match }),
      ...(input.correlation_id === undefined ? {} : { correlationId: input.correlation_id }),
      ...(input.causation_id === undefined ? {} : { causationId: input.causation_id }),
      ...(caller.confirmation === undefined ? {} : { confirmation: caller.confirmation }),
    };
    const response = await vault.execute(input.envelope, context);
    return withoutHiddenText(vault.registry, caller.principal, input.envelope, response);
  },
});
