import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '#adapter-contracts';
import { isIndexPath } from '#document';
import type { DerivedProjection } from '../derived-projection.ts';
import { vaultHash } from '../scan-vault.ts';
import type { ProjectionRow } from './coordinator-tables.ts';
import type { DerivedDatabase } from './derived-database.ts';

const manifestName = 'MANIFEST.json';

/**
 * Writes `MANIFEST.json` (§10.1) beside the database, whole or not at all, when anything in it changed since it was written last. A vault with an equal
 * hash costs one comparison. The file is for people and other programs: nothing here reads it.
 */
export const writeManifest = (
  directory: string,
  database: DerivedDatabase,
  projections: readonly DerivedProjection[],
  clock: Clock,
): void => {
  const { connection, tables, name } = database;
  const about = tables.about();
  if (about.scanned !== 1 || name === null) return;
  const state = JSON.stringify([about.revision, tables.projections().map(row => [row.id, row.version, row.cursor, row.stage])]);
  const path = join(directory, manifestName);
  if (about.manifested === state && existsSync(path)) return;
  const text = `${JSON.stringify(describe(database, name, projections, clock), null, 2)}\n`;
  // A reader sees the old one or the new one. Not synced: whoever misses it after a power cut writes it again.
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, text);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  connection.transaction(() => tables.setAbout({ manifested: state })).immediate();
};

const describe = (
  { connection, tables }: DerivedDatabase,
  file: string,
  projections: readonly DerivedProjection[],
  clock: Clock,
): object => {
  const read = connection.transaction(() => ({
    type: 'projection-manifest',
    generated_at: clock.now().toISOString(),
    vault_hash: heldVaultHash(tables),
    projections: built(tables).map(({ id, version, feed, cursor }) => ({
      file,
      id,
      disposable: true,
      version,
      feed,
      // Projections of documents follow the log together.
      cursor: feed === 'documents' ? (tables.about().cursor ?? null) : cursor,
      ...projections.find(projection => projection.id === id)?.describe?.(connection),
    })),
    rebuild_command: 'sheaf index rebuild',
  }));
  return read();
};

const built = (tables: DerivedDatabase['tables']): readonly ProjectionRow[] => tables.projections().filter(row => row.stage !== 'unasked');

/** The hash of the vault (§10.1) that the projections of documents were made from. */
export const heldVaultHash = (tables: DerivedDatabase['tables']): string => vaultHash(heldDocuments(tables));

/** Documents, and pages of links, which are documents of the contract without frontmatter (§4.1). */
const heldDocuments = (tables: DerivedDatabase['tables']): readonly { readonly path: string; readonly hash: string }[] =>
  tables
    .files()
    .flatMap(({ path, hash, kind }) => (hash !== null && (kind === 2 || (kind === 1 && isIndexPath(path))) ? [{ path, hash }] : []));
