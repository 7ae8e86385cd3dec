/** A link from one record to another (§11.9). */
export interface SemanticEdge {
  /** `relation`: named in frontmatter; `wiki`: `[[…]]`; `markdown`: `[…](…)`. */
  readonly kind: 'relation' | 'wiki' | 'markdown';
  /** The relation's name, or null for links in the body. */
  readonly name: string | null;
  /** As it is written: a path, a slug, a title, a `semantic_id`. */
  readonly target: string;
  /** The document it leads to; null while nothing in the vault answers to it. */
  readonly path: string | null;
}

/** One document as the semantic layer sees it: derived from its bytes and the registry alone (§11.9). */
export interface SemanticRecord {
  /** `semantic_id`, else `resource`, else the path. */
  readonly identity: string;
  readonly path: string;
  /** `sha256:<hex>` of the bytes it was made from. */
  readonly content_hash: string;
  /** Qualified. */
  readonly primitive_type: string;
  /** Effective class: the stricter of the type's and the document's (§5.5). */
  readonly portability: 'structural' | 'resource_bound' | 'tenant_private';
  /** `language`, else `locale`, else null. */
  readonly language: string | null;
  readonly title: string;
  /** What a person reads: title, description, aliases, tags, body without markup. */
  readonly text: string;
  /** Normalised search tokens of title, aliases, ids and text, sorted, each once. */
  readonly tokens: readonly string[];
  readonly edges: readonly SemanticEdge[];
}
