import { hash as digest } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * Names the machine, so that machines and containers sharing a vault keep a database each. Together with `inodeOf`, which a database records when it
 * is made, it keeps one that came with a copied, cloned or unpacked vault from being believed.
 */
export const machineMark = (): string => {
  let id = '';
  try {
    id = readFileSync('/etc/machine-id', 'utf8').trim();
  } catch {
    id = process.platform === 'linux' ? '' : hostname();
  }
  return digest('sha256', `sheaf event index\0${id}`, 'hex').slice(0, 12);
};

/** What the file system calls the database now; another text for every copy of it. */
export const inodeOf = (path: string): string => (path === ':memory:' ? 'memory' : statSync(path, { bigint: true }).ino.toString());
