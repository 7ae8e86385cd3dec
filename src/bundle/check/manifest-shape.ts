import semver from 'semver';
import { z } from 'zod';
import type { Registry } from '#registry';
import { exportProfiles } from '../bundle.ts';

const text = z.string().refine(value => value.trim() !== '', 'A text that is not empty.');
const texts = z.array(z.string());
const count = z.number().int().nonnegative();
const contentHash = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'sha256: and 64 hex digits.');

const dependency = z.looseObject({
  name: text,
  version: z.string().refine(range => semver.validRange(range) !== null, 'A range of semantic versions, such as ^1.2.0.'),
  content_hash: contentHash.optional(),
  installMode: z.enum(['optional', 'recommended', 'required']),
});

/** The shape of a manifest (§16.2, §16.5, §17.2), with the vocabularies of the registry. Members that the standard does not know are kept. */
export const manifestShape = ({ vocabularies: { parameter, provisioning } }: Registry) =>
  z.looseObject({
    name: text,
    description: text,
    version: z.string().refine(version => semver.valid(version) !== null, 'A semantic version, such as 1.0.0.'),
    exported_at: z.iso.datetime({ offset: true, error: 'An ISO 8601 instant, such as 2026-05-16T08:00:00Z.' }),
    ssss_core_version: text,
    required_extensions: texts,
    export_profile: z.enum(exportProfiles),
    primitive_inventory: z.record(z.string(), count),
    provisioning: z.array(
      z.looseObject({
        id: text,
        label: text,
        system: z.enum(provisioning.systems as [string, ...string[]]),
        mode: z.enum(provisioning.modes as [string, ...string[]]),
        required: z.boolean(),
        notes: z.string().optional(),
      }),
    ),
    parameters: z
      .array(
        z.looseObject({
          key: text,
          label: text,
          type: text,
          scope: text,
          source: z.enum(parameter.sources as [string, ...string[]]),
          required: z.boolean().default(false),
          options: z.array(z.unknown()).optional(),
          dependsOn: texts.optional(),
        }),
      )
      .optional(),
    source_workspace_id: z.string().nullish(),
    dependencies: z
      .looseObject({
        primitives: texts,
        extensions: texts,
        migrations: texts,
        bundles: z.array(dependency).optional(),
        integrity: z.looseObject({ content_hash: contentHash, ssss_core_version: text }),
      })
      .optional(),
    file_count: count,
    provenance: z.looseObject({ content_hash: contentHash, exporter: text, signature: z.string().optional() }),
  });

export type ManifestInput = z.output<ReturnType<typeof manifestShape>>;
