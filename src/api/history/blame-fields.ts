import { type FrontmatterMap, type ParsedFile, parseDocument, sameValue, type Value } from '#document';

/** The keys of a document whose origin is being looked for; a key is followed by its value, so rewriting it in other words changes nothing. */
export interface FieldTracer<O> {
  open(): boolean;
  back(earlier: string, origin: O): void;
  end(origin: O): void;
  origins(): ReadonlyMap<string, O>;
}

export const traceFields = <O>(document: ParsedFile): FieldTracer<O> => {
  const data = frontmatterOf(document);
  const pending = new Map<string, Value>(Object.entries(data));
  const origins = new Map<string, O>();
  const settle = (key: string, origin: O): void => {
    pending.delete(key);
    origins.set(key, origin);
  };
  return {
    open: () => pending.size > 0,
    back(earlier, origin) {
      const before = frontmatterOf(parseDocument(earlier));
      for (const [key, value] of pending) {
        if (!Object.hasOwn(before, key) || !sameValue(before[key] as Value, value)) settle(key, origin);
      }
    },
    end(origin) {
      for (const key of pending.keys()) settle(key, origin);
    },
    origins: () => origins,
  };
};

const frontmatterOf = (file: ParsedFile): FrontmatterMap => (file.kind === 'document' ? file.document.data : Object.create(null));
