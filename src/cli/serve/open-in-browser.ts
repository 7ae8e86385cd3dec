import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { vaultStateDir } from '#api';

/**
 * Opens the browser on a private file that leads on to the link: in an argument list every user of the machine could read the secret (identity: how
 * callers are known). The file goes away with the server; the link in it works once.
 */
export const openInBrowser = (link: string, root: string | null, signal: AbortSignal): void => {
  if (root === null) return;
  const file = writeRedirect(link, vaultStateDir(root));
  signal.addEventListener('abort', () => rmSync(file, { force: true }), { once: true });
  const [program, ...args] = opener(pathToFileURL(file).href);
  // A machine without a browser is no failure: the link stands on the screen.
  spawn(program, args, { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
};

/** Writes the redirect, readable by its owner only, and gives its path. */
const writeRedirect = (link: string, stateDir: string): string => {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  const file = join(stateDir, 'open.html');
  // An older file keeps its mode when it is written again.
  rmSync(file, { force: true });
  const target = link.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);
  const page = `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url=${target}">`;
  writeFileSync(file, page, { mode: 0o600, flag: 'wx' });
  chmodSync(file, 0o600);
  return file;
};

const opener = (url: string): readonly [string, ...string[]] => {
  if (process.platform === 'darwin') return ['open', url];
  return process.platform === 'win32' ? ['cmd', '/c', 'start', '', url] : ['xdg-open', url];
};
