import type { FrontmatterMap } from '#document';
import type { Definition } from '#registry';
import type { BundleParameter, ProvisioningStep } from '../bundle.ts';
import { boundFields } from '../requirement.ts';

/** A document that was reduced to what it needs. */
export interface Requiring {
  readonly path: string;
  readonly definition: Definition;
  readonly data: FrontmatterMap;
}

/**
 * What a buyer has to supply for the documents that were reduced, and the steps that bind it (§16.5, §17.2; readings: requirements of a bundle): one
 * parameter for each bound field, one step for each document. Several documents of one type carry their slug in the keys.
 */
export const requirementsOf = (
  requiring: readonly Requiring[],
): { readonly parameters: readonly BundleParameter[]; readonly provisioning: readonly ProvisioningStep[] } => {
  const ofType = (definition: Definition) => requiring.filter(each => each.definition === definition).length;
  const parameters: BundleParameter[] = [];
  const provisioning: ProvisioningStep[] = [];
  const keys = new Set<string>();
  for (const { path, definition, data } of requiring) {
    const fields = boundFields(definition, data);
    if (fields.length === 0) continue;
    const suffix = ofType(definition) > 1 ? `_${keyPart(slugOf(path, data))}` : '';
    const name = typeof data.name === 'string' ? data.name : typeof data.title === 'string' ? data.title : path;
    for (const field of fields) {
      parameters.push({
        key: unique(`${keyPart(definition.type)}_${keyPart(field)}${suffix}`, keys),
        label: `${name}: ${field}`,
        type: 'string',
        scope: 'workspace',
        source: 'user',
        required: true,
      });
    }
    provisioning.push({
      id: unique(`bind-${definition.type.replace(/[^a-z0-9]+/gi, '-')}${suffix.replace('_', '-')}`, keys),
      label: `Bind ${name}`,
      system: systemOf(definition.resource?.kind ?? data.kind),
      mode: 'provision',
      required: true,
      notes: path,
    });
  }
  return { parameters, provisioning };
};

const keyPart = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, '_');

const slugOf = (path: string, data: FrontmatterMap): string =>
  typeof data.slug === 'string' && data.slug !== '' ? data.slug : path.replace(/\.md$/, '');

const unique = (wanted: string, taken: Set<string>): string => {
  let key = wanted;
  for (let count = 2; taken.has(key); count += 1) key = `${wanted}_${count}`;
  taken.add(key);
  return key;
};

/** The subsystem that a kind of resource belongs to; accounts for all that has none of its own. */
const systemOf = (kind: unknown): string => {
  switch (kind) {
    case 'domain':
      return 'domains';
    case 'phone':
    case 'phone_number':
      return 'phone';
    case 'email':
    case 'mailbox':
      return 'email';
    case 'deployment':
      return 'deployments';
    default:
      return 'accounts';
  }
};
