import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onTestFinished, vi } from 'vitest';

const program = resolve('bin/sheaf.cjs');

/** How many files the sample writes through the contract: all but its page without frontmatter that is no index. */
export const sampleDocuments =
  readdirSync('examples/sample-vault/vault', { recursive: true, encoding: 'utf8' }).filter(path => path.endsWith('.md')).length - 1;
/** Three things happened in the sample beside its documents. */
export const sampleEvents = sampleDocuments + 3;

// Every step starts a process; on a busy machine a test of many steps takes its time and is right all the same.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

interface RunOptions {
  readonly cwd?: string;
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
}

export interface RunResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Directories of one test, removed when it ends; machine state goes there too. */
export interface Workshop {
  readonly directory: string;
  /** Runs the built program as a user would. */
  readonly sheaf: (args: readonly string[], options?: RunOptions) => Promise<RunResult>;
  /** The same inside the vault `vault`. */
  readonly inVault: (...args: readonly string[]) => Promise<RunResult>;
  readonly vault: string;
}

export const openWorkshop = (): Workshop => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'sheaf-cli-')));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return workshopAt(directory);
};

/** For suites that share a vault; the caller removes the directory. */
export const workshopAt = (directory: string): Workshop => {
  const vault = join(directory, 'vault');
  const sheaf = (args: readonly string[], options: RunOptions = {}): Promise<RunResult> =>
    run(args, { cwd: directory, ...options }, join(directory, 'state'));
  return { directory, vault, sheaf, inVault: (...args) => sheaf(args, { cwd: vault }) };
};

const run = (args: readonly string[], options: RunOptions, stateDir: string): Promise<RunResult> =>
  new Promise((resolveRun, reject) => {
    const env = { ...process.env, SHEAF_STATE_DIR: stateDir, ...options.env };
    const child = spawn(process.execPath, [program, ...args], { cwd: options.cwd, env });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.on('error', reject);
    child.on('close', status => resolveRun({ status, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() }));
    // A program that does not read its input closes it.
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input ?? '');
  });

/** Parses output in which every line is one JSON value. */
export const jsonLines = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Record<string, unknown>);

export const rule = (name: string, body = 'Be kind.\n'): string =>
  `---\ntype: rule\ntitle: ${name}\ndescription: How we speak to customers.\ntimestamp: 2026-05-16T14:00:00Z\nname: ${name}\n---\n${body}`;

export const thread = `---
type: thread
title: A thread
description: Two people talk.
timestamp: 2026-05-16T14:00:00Z
thread_id: t1
---
### turn 1 — user — 2026-05-16T14:00:00Z
Hello
`;

/** Makes the workshop's vault, in workspace `ws`. */
export const makeVault = async (workshop: Workshop): Promise<void> => {
  const made = await workshop.sheaf(['init', 'vault', '--workspace', 'ws']);
  if (made.status !== 0) throw new Error(`init failed: ${made.stderr}`);
};
