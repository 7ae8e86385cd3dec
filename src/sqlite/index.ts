export {
  createConnection,
  newDatabasePath,
  newestDatabase,
  openConnection,
  removeOlderDatabases,
  translatingDamage,
} from './database-files.ts';
export { inodeOf, machineMark } from './machine-mark.ts';
export { isSqliteError, sqlite } from './sqlite-library.ts';
