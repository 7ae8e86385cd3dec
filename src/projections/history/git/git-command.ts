import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { devNull } from 'node:os';
import { parse } from 'node:path';

/** What a git command said. */
interface GitAnswer {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

/** Git on one repository, by plumbing commands only. */
export interface GitCommand {
  /** Runs one command to its end; `feed` writes its input. Rejects when git cannot be started or takes too long. */
  run(args: readonly string[], feed?: (input: NodeJS.WritableStream) => Promise<void>): Promise<GitAnswer>;
}

/** Longer than any import of one round takes; a repository whose configuration includes a pipe must not hold us for ever. */
const patienceMilliseconds = 120_000;

/**
 * What a repository may say in its configuration and must not decide here: programs to run (hooks, monitors, signing, ssh, helpers), places to fetch from,
 * and what commits look like.
 */
const ourSettings = [
  `core.hooksPath=${devNull}`,
  'core.fsmonitor=false',
  `core.attributesFile=${devNull}`,
  'core.logAllRefUpdates=false',
  // Else git takes two names for one wherever a disk once did.
  'core.ignoreCase=false',
  'core.sshCommand=false',
  'core.askPass=',
  'credential.helper=',
  'protocol.allow=never',
  'commit.gpgSign=false',
  'i18n.commitEncoding=UTF-8',
  'gc.auto=0',
  'maintenance.auto=false',
].flatMap(setting => ['-c', setting]);

/** No variable of the caller reaches git: those that begin with `GIT_` can point it at other repositories and make it run programs. */
const environment = (): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  ...(process.env.SystemRoot === undefined ? {} : { SystemRoot: process.env.SystemRoot }),
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: devNull,
  GIT_ATTR_NOSYSTEM: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  // An empty list allows no transport at all, so a repository that lacks objects cannot make git fetch them.
  GIT_ALLOW_PROTOCOL: '',
});

export const createGitCommand = (gitDirectory: string): GitCommand => ({
  async run(args, feed) {
    // Outside the repository, where nothing is found that could be taken for git's own; the directory is named instead.
    const { root: cwd } = parse(process.cwd());
    const fixed = ['--no-pager', '--no-replace-objects', '--literal-pathspecs', `--git-dir=${gitDirectory}`];
    const child = spawn('git', [...fixed, ...ourSettings, ...args], {
      cwd,
      env: environment(),
      timeout: patienceMilliseconds,
      windowsHide: true,
    });
    const answer = collect(child);
    // Git that ends early closes its input; its answer says why.
    child.stdin.on('error', () => undefined);
    try {
      await feed?.(child.stdin);
    } catch (error) {
      child.kill();
      await answer.catch(() => undefined);
      throw error;
    }
    child.stdin.end();
    return answer;
  },
});

const collect = (child: ChildProcessWithoutNullStreams): Promise<GitAnswer> =>
  new Promise((resolve, reject) => {
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.on('error', reject);
    child.on('close', (status, signal) => {
      const said = Buffer.concat(err).toString();
      resolve({ status, out: Buffer.concat(out).toString(), err: signal === null ? said : `${said}git was stopped by ${signal}` });
    });
  });
