import type { SharedRow, SharedRows } from '#stores/fs';

export type RowChange =
  | { readonly put: SharedRow }
  | { readonly remove: readonly [scope: string, key: string] }
  | { readonly expire: number };

/** The database of leases, or of remembered answers, as all processes share it. */
export interface SimulatedRows {
  /** Its transactions so far; a power cut keeps the first few of them. */
  readonly transactions: readonly (readonly RowChange[])[];
  /** Opens it; `calling` runs before everything that reaches the disk, and may throw. */
  open(calling: () => void): SharedRows;
  /** Somebody set it aside: who has it open must look for the newer one. */
  setAside(): void;
}

const nameOf = (scope: string, key: string): string => `${scope}\0${key}`;

const apply = (rows: Map<string, SharedRow>, change: RowChange): void => {
  if ('put' in change) rows.set(nameOf(change.put.scope, change.put.key), change.put);
  else if ('remove' in change) rows.delete(nameOf(...change.remove));
  else for (const [name, row] of [...rows]) if (row.expires <= change.expire) rows.delete(name);
};

const readsOf = (rows: () => ReadonlyMap<string, SharedRow>): Pick<SharedRows, 'get' | 'findByTag' | 'list'> => ({
  get: (scope, key) => rows().get(nameOf(scope, key)) ?? null,
  findByTag: tag => (tag === '' ? null : ([...rows().values()].find(row => row.tag === tag) ?? null)),
  list: scope =>
    [...rows().values()].filter(row => row.scope === scope).sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key))),
});

/** Shared rows in memory that answer as those on disk do, from the transactions that are left of earlier ones. */
export const createSimulatedRows = (kept: readonly (readonly RowChange[])[] = []): SimulatedRows => {
  const transactions = [...kept];
  let rows = new Map<string, SharedRow>();
  for (const transaction of transactions) for (const change of transaction) apply(rows, change);
  let staged: RowChange[] | null = null;
  let current = true;
  const changing = (calling: () => void, change: RowChange): void => {
    if (staged === null) {
      calling();
      transactions.push([change]);
    } else staged.push(change);
    apply(rows, change);
  };
  const transact = <T>(calling: () => void, work: () => T): T => {
    if (staged !== null) throw new Error('cannot start a transaction within a transaction');
    const before = new Map(rows);
    const changes: RowChange[] = [];
    staged = changes;
    try {
      const result = work();
      if (changes.length > 0) {
        calling();
        transactions.push(changes);
      }
      return result;
    } catch (error) {
      rows = before;
      throw error;
    } finally {
      staged = null;
    }
  };
  return {
    transactions,
    open: calling => ({
      ...readsOf(() => rows),
      transact: work => transact(calling, work),
      put: row => changing(calling, { put: row }),
      delete: (scope, key) => changing(calling, { remove: [scope, key] }),
      expire: moment => changing(calling, { expire: moment }),
      isCurrent: () => current,
      close: () => undefined,
    }),
    setAside() {
      current = false;
    },
  };
};
