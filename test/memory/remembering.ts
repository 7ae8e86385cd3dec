export interface MemoryFields {
  readonly slug: string;
  readonly title?: string;
  readonly description?: string;
  readonly status?: string;
  readonly statement?: string;
  readonly modality?: string;
  readonly timestamp?: string;
  readonly more?: string;
}

const polarity: Readonly<Record<string, string>> = { must: 'directive_must', must_not: 'directive_must_not', descriptive: 'descriptive' };

/** A memory of the second schema version; `statement` is `subject predicate object`. */
export const memory = ({ slug, statement, modality = 'must', ...fields }: MemoryFields): string => {
  const { title = slug, description = `About ${slug}`, status = 'active', timestamp = '2026-05-16T14:00:00Z', more = '' } = fields;
  const [subject, predicate, object] = statement?.split(' ') ?? [];
  const head = `---\ntype: memory\nslug: ${slug}\ncategory: patterns\ntitle: ${title}\ndescription: ${description}\ntimestamp: ${timestamp}\nstatus: ${status}\n`;
  const version = statement === undefined ? 'schema_version: 1\n' : 'schema_version: 2\n';
  const graph = `confidence: 0.9\nimportance: 3\nmodality: ${modality}\nsubject: ${subject}\npredicate: ${predicate}\nobject: ${object}\nsentiment_polarity: ${polarity[modality] ?? 'preference'}\n`;
  return `${head}${version}${statement === undefined ? '' : graph}${more}---\nSaid.\n`;
};
