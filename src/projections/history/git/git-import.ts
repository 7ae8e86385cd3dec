import { randomUUID } from 'node:crypto';
import { checkDocumentPath } from '#document';
import type { DocumentVersion } from '../document-version.ts';
import { toBatches } from './git-batches.ts';
import type { GitCommand } from './git-command.ts';
import { authorLine, commitMessage, committerLine } from './git-message.ts';

interface ImportInput {
  readonly workspaceId: string;
  readonly versions: readonly DocumentVersion[];
  /** The commit to go on from; null = the first one. */
  readonly tip: string | null;
  /** Of an object that does not exist, in this repository's hash. */
  readonly noObject: string;
  readonly prefix: string;
  readonly find: (hash: string, path: string) => Promise<Uint8Array | null>;
}

/**
 * Writes commits for the versions, one for each batch, by `git fast-import`: it takes bytes as they are (no filter, no attribute, no index, no work tree) and
 * gives them one place on the disk. Gives the last commit and how many there are; no ref is changed yet. Throws what git said when it fails.
 */
export const importVersions = async (
  git: GitCommand,
  input: ImportInput,
): Promise<{ readonly commit: string; readonly commits: number }> => {
  const batches = toBatches(input.versions);
  // A name for the time of the import, forgotten at its end.
  const branch = `refs/sheaf/import-${randomUUID()}`;
  const feed = async (stream: NodeJS.WritableStream): Promise<void> => {
    // The callback comes when the piece is out, and also when git has gone; listeners for both would pile up.
    const write = (piece: string | Uint8Array): Promise<void> =>
      new Promise(resolve => {
        if (stream.write(piece, () => resolve())) resolve();
      });
    for (const [index, batch] of batches.entries()) {
      const { files, missing } = await filesOf(input, batch.versions);
      const message = Buffer.from(commitMessage(input.workspaceId, batch, missing));
      await write(
        `commit ${branch}\nmark :${index + 1}\nauthor ${authorLine(batch)}\ncommitter ${committerLine(batch)}\ndata ${message.length}\n`,
      );
      await write(message);
      if (index === 0 && input.tip !== null) await write(`from ${input.tip}\n`);
      // What is gone goes first: it may have been a directory, or the same name, of what comes.
      for (const [path, bytes] of [...files].sort(([, one], [, other]) => Number(one !== null) - Number(other !== null))) {
        if (bytes === null) await write(`D ${quoted(path)}\n`);
        else {
          await write(`M 100644 inline ${quoted(path)}\ndata ${bytes.length}\n`);
          await write(bytes);
          await write('\n');
        }
      }
      await write('\n');
    }
    await write(`get-mark :${batches.length}\nreset ${branch}\nfrom ${input.noObject}\n\ndone\n`);
  };
  const { status, out, err } = await git.run(['fast-import', '--quiet', '--done', '--date-format=raw'], feed);
  const commit = out.trim();
  if (status !== 0 || !/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit)) throw new Error(`git fast-import failed: ${firstLine(err)}`);
  return { commit, commits: batches.length };
};

/** How each path stands after a batch: its bytes, or null when it is gone. A content that is not kept leaves its path as it was. */
const filesOf = async ({ prefix, find }: ImportInput, versions: readonly DocumentVersion[]) => {
  const last = new Map(versions.map(version => [version.path, version]));
  const files = new Map<string, Uint8Array | null>();
  const missing = new Set<string>();
  for (const { path, after } of last.values()) {
    // A log from elsewhere may name any path.
    if (checkDocumentPath(path, { creating: false }) !== null) continue;
    const bytes = after === null ? null : await find(after, path);
    if (after !== null && bytes === null) missing.add(path);
    else files.set(prefix === '' ? path : `${prefix}/${path}`, bytes);
  }
  return { files, missing };
};

/** As git quotes in C style. */
const quoted = (path: string): string =>
  `"${Array.from(Buffer.from(path), byte => (byte < 0x20 || byte > 0x7e || byte === 0x22 || byte === 0x5c ? `\\${byte.toString(8).padStart(3, '0')}` : String.fromCharCode(byte))).join('')}"`;

/** The first thing git complained about. */
export const firstLine = (text: string): string =>
  text
    .split('\n')
    .find(line => line.trim() !== '')
    ?.trim() ?? 'it said nothing';
