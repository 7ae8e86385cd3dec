import { z } from 'zod';
import { defineCall } from '../call.ts';
import { callerPrincipal, mayRead } from '../read-rights.ts';
import { readVisible } from '../read-visible.ts';

export const renderDocument = defineCall({
  name: 'document.render',
  summary: "One document as it is shown in a language: the vault's convention for it applied, and a renderer where the host has one.",
  input: z.strictObject({ path: z.string().min(1), language: z.string().min(1) }),
  output: z.object({
    path: z.string(),
    hash: z.string(),
    language: z.string(),
    text_language: z.string().nullable(),
    convention: z.string().nullable(),
    renderer: z.string().nullable(),
    content: z.string(),
    presented: z.array(z.object({ field: z.string(), value: z.union([z.string(), z.number()]), text: z.string() })).readonly(),
    control: z.object({
      path: z.string(),
      content_hash: z.string(),
      primitive_type: z.string().nullable(),
      fields: z.record(z.string(), z.unknown()).readonly(),
      links: z.array(z.string()).readonly(),
      code: z.array(z.string()).readonly(),
      records: z.array(z.string()).readonly(),
    }),
  }),
  handler: async (vault, caller, { path, language }) => {
    const principal = callerPrincipal(vault, caller);
    // The file decides who may see it, and in the same words for what is absent and what is hidden.
    await readVisible(vault, principal, path);
    return vault.render(path, language, { mayRead: type => mayRead(principal, vault.registry, type) });
  },
});
