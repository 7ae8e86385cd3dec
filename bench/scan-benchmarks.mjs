import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { initVault, openVault } from '#open-vault';
import { inFreshDirectory } from './bench-vault.mjs';
import { writeGeneratedLog } from './generate-log.mjs';
import { writeGeneratedVault } from './generate-vault.mjs';
import { paired, timed } from './measure.mjs';

/** List, read and hash, and nothing else. */
const hashTree = directory => {
  let files = 0;
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) files += hashTree(path);
    else {
      createHash('sha256').update(readFileSync(path)).digest('hex');
      files += 1;
    }
  }
  return files;
};

/** A vault whose files the log knows. */
const openScanned = async (root, documents) => {
  mkdirSync(root);
  await initVault({ root, workspaceId: 'ws-bench' });
  for (const folder of ['memory', 'rules', 'tasks', 'threads']) mkdirSync(join(root, folder), { recursive: true });
  writeGeneratedVault(root, documents);
  await writeGeneratedLog(root, { count: documents, documents });
  return openVault({ root });
};

const survey = async (vault, documents) => {
  const { rows, files } = await vault.status();
  if (rows.length > 0) throw new Error(`the vault should agree with its log: ${JSON.stringify(rows[0])}`);
  if (files.documents < documents) throw new Error(`only ${files.documents} of ${documents} documents were seen`);
};

/** What `sheaf status` does in a process of its own, after opening. */
const firstLook = async (root, documents) => {
  const vault = await openVault({ root });
  try {
    return await timed(() => survey(vault, documents));
  } finally {
    await vault.close();
  }
};

/** The same with nothing remembered from earlier looks. */
const coldLook = async (root, documents) => {
  const derived = join(root, '.ssss', 'derived');
  for (const name of readdirSync(derived)) if (name.startsWith('projections-')) rmSync(join(derived, name));
  return firstLook(root, documents);
};

/** The first look at a vault, against listing, reading and hashing the same files. */
export const scanCold = ({ base, repetitions, documents }) =>
  inFreshDirectory(base, async directory => {
    const root = join(directory, 'vault');
    await (await openScanned(root, documents)).close();
    return paired({ repetitions, ours: () => coldLook(root, documents), other: () => timed(() => hashTree(root)) });
  });

/** The look of a process of its own at a vault where nothing changed since an earlier one looked, against the first look of all. */
export const scanIncremental = ({ base, repetitions, documents }) =>
  inFreshDirectory(base, async directory => {
    const root = join(directory, 'vault');
    await (await openScanned(root, documents)).close();
    // Files younger than two seconds are read again whatever their times say.
    await new Promise(resolve => setTimeout(resolve, 2_100));
    // Each cold look leaves behind what the next process remembers.
    await firstLook(root, documents);
    return paired({ repetitions, ours: () => firstLook(root, documents), other: () => coldLook(root, documents) });
  });
