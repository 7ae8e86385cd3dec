import { accessSync, constants, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Vault, vaultStateDir } from '#api';
import { ignoredByGit } from '#open-vault';
import { accountText } from '../render/file-account.ts';
import { attempt, type Finding, ok, problem, warning } from './finding.ts';

const brokenDocuments = 'See each with `sheaf check`; mend the file, or replace it with `sheaf write`.';

/** What is wrong with an open vault: configuration, log, documents, drift, leftovers, permissions. */
export const checkOpenVault = async (vault: Vault): Promise<readonly Finding[]> => {
  const root = vault.root ?? '.';
  const checks = [
    attempt('vault', 'registry', 'Restore the registry files, or accept them with `sheaf registry lock`.', () => checkRegistry(vault)),
    attempt('vault', 'notices', 'Look at the named file.', () => noticeFindings(vault)),
    attempt('vault', 'recovery', 'Look at the named files; `sheaf recover` explains each outcome.', () => checkRecovery(vault, root)),
    attempt('vault', 'permissions', 'Give your user write access to the vault.', () => checkPermissions(root)),
    attempt('vault', 'machine state', 'Move it out of the vault: set SHEAF_STATE_DIR.', () => checkMachineState(root)),
    attempt('vault', 'git', 'Add the lines to .gitignore.', () => checkGitIgnore(root)),
    attempt('vault', 'documents', brokenDocuments, () => checkDocuments(vault)),
    attempt('vault', 'index', 'Make it anew with `sheaf index rebuild`.', () => checkIndex(vault)),
    attempt('vault', 'drift', 'See each with `sheaf status`.', () => checkDrift(vault)),
  ];
  const findings: Finding[] = [];
  for (const check of checks) findings.push(...(await check));
  return findings;
};

const checkRegistry = async (vault: Vault): Promise<Finding> => {
  const types = vault.registry.documentTypes.length;
  const found = await vault.registryFiles?.verify();
  const extensions = vault.registry.extensions.map(({ id, version }) => `${id} ${version}`).join(', ') || 'no extensions';
  return ok('vault', 'registry', `${types} types, ${extensions}, ${found?.locked === true ? 'as locked' : 'not locked'}`);
};

const remediesByNotice: Readonly<Record<string, string>> = {
  configuration: 'Delete it, or list it in .ssss/workspace.json.',
  torn_tail: 'Nothing to do: a writer died in the middle of a line, and what it left was set aside.',
  index_rebuilt: 'Nothing to do.',
  cache_reset: 'Nothing to do; repeated requests are answered from the log.',
  duplicate_event:
    'A merge repeated part of the log. Keep one copy of the named events, best by restoring the segment from version control.',
  events_missing: 'Bring back the log that holds them (`git log -- .ssss/events`), or delete .ssss/derived to accept the log as it is.',
  intent_conflict: 'Look at the document and at the intent that was set aside, then delete the intent.',
  read_only: 'Do what the message says: file locks must work there, and this user must be allowed to write.',
  embedding: 'See `sheaf index embedder`; search goes on with words alone.',
  untrusted: 'Look at it with `sheaf trust --list`, then accept it with `sheaf trust`.',
  projections_rebuilt: 'Nothing to do: what is derived was made anew.',
  projections_in_memory: '.ssss/derived must be a real directory that this user may write.',
  projections_failed: 'Look at the message; `sheaf index rebuild` makes everything anew.',
  recovery_failed: 'Writing is refused until this is mended. Look at .ssss-intents/journal and at the message.',
};

const noticeFindings = (vault: Vault): readonly Finding[] => {
  const grave = new Set(['duplicate_event', 'events_missing', 'read_only', 'recovery_failed']);
  return vault.notices().map(({ kind, message, file, offset }) => {
    const detail = `${message}${file === undefined || message.includes(file) ? '' : ` (${file}${offset === undefined ? '' : `, byte ${offset}`})`}`;
    return (grave.has(kind) ? problem : warning)(
      'vault',
      kind.replace('_', ' '),
      detail,
      remediesByNotice[kind] ?? 'Look at the named file.',
    );
  });
};

const checkRecovery = async (vault: Vault, root: string): Promise<readonly Finding[]> => {
  const { in_flight: inFlight } = await vault.recover();
  const quarantine = join(root, '.ssss-intents', 'quarantine');
  const kept = existsSync(quarantine) ? readdirSync(quarantine) : [];
  const waiting = inFlight.map(one =>
    warning('vault', 'recovery', `${one.path} is being written by a live process`, 'Wait for it, or end that process.'),
  );
  const setAside = kept.map(name =>
    warning(
      'vault',
      'recovery',
      `.ssss-intents/quarantine/${name} was set aside`,
      'Compare it with the document it names (`sheaf recover`), then delete it.',
    ),
  );
  const found = [...waiting, ...setAside];
  return found.length > 0
    ? found
    : [
        ok(
          'vault',
          'recovery',
          vault.recoveries.length === 0 ? 'no interrupted writes' : `${vault.recoveries.length} interrupted writes were resolved`,
        ),
      ];
};

const checkPermissions = (root: string): Finding => {
  const places = ['.', '.ssss', '.ssss/events', '.ssss/coordination', '.ssss/derived', '.ssss-intents'].filter(place =>
    existsSync(join(root, place)),
  );
  const closed = places.filter(place => !isWritable(join(root, place)));
  if (closed.length === 0) return ok('vault', 'permissions', 'the vault can be written');
  return problem(
    'vault',
    'permissions',
    `not writable: ${closed.join(', ')}`,
    'Give your user write access to these directories (chown or chmod).',
  );
};

const isWritable = (path: string): boolean => {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

// Tokens' hashes are in there: nobody else may read or replace them.
const checkMachineState = (root: string): Finding => {
  const directory = vaultStateDir(root);
  if (!existsSync(directory)) return ok('vault', 'machine state', `none yet (${directory})`);
  const open = [directory, ...readdirSync(directory).map(name => join(directory, name))].filter(
    path => process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0,
  );
  if (open.length === 0) return ok('vault', 'machine state', directory);
  return problem('vault', 'machine state', `others can read ${open.join(', ')}`, `chmod -R go= ${directory}`);
};

const checkGitIgnore = (root: string): Finding => {
  if (!existsSync(join(root, '.git'))) return ok('vault', 'git', 'not under git');
  const file = join(root, '.gitignore');
  const lines = new Set(
    (existsSync(file) ? readFileSync(file, 'utf8') : '').split(/\r?\n/).map(line => line.trim().replace(/^\/|\/$/g, '')),
  );
  const missing = ignoredByGit.filter(line => !lines.has(line.replace(/^\/|\/$/g, '')));
  if (missing.length === 0) return ok('vault', 'git', 'what must not be committed is ignored');
  return warning(
    'vault',
    'git',
    `.gitignore lacks ${missing.join(' ')}`,
    'Add these lines: they hold locks and what can be rebuilt, which must not travel.',
  );
};

const checkDocuments = async (vault: Vault): Promise<readonly Finding[]> => {
  const { problems, log_damage: damage, files } = await vault.check();
  const log = damage.map(({ file, offset, length, reason }) =>
    problem(
      'vault',
      'log',
      length === 0 ? `${file}: ${reason}` : `${file}, byte ${offset}, ${length} bytes: ${reason}`,
      'Restore the segment from version control or a backup. What can be read stays in use; nothing is dropped.',
    ),
  );
  const broken = [...new Set(problems.map(one => one.path))];
  const documents =
    broken.length === 0
      ? ok('vault', 'documents', `all valid; ${accountText(files)}`)
      : problem(
          'vault',
          'documents',
          `${problems.length} problems in ${broken.slice(0, 5).join(', ')}${broken.length > 5 ? ` and ${broken.length - 5} more` : ''}`,
          brokenDocuments,
        );
  return [...(log.length === 0 ? [ok('vault', 'log', 'every line is a whole event')] : log), documents];
};

const checkIndex = async (vault: Vault): Promise<Finding> => {
  const before = await vault.index.status();
  if (before.every(({ state }) => state === 'missing')) return ok('vault', 'index', 'not built yet; the first question builds it');
  const differing = await vault.index.check();
  if (differing.length === 0) return ok('vault', 'index', 'what is derived agrees with vault and log');
  const names = [...new Set(differing.map(({ projection }) => projection))].join(', ');
  return warning(
    'vault',
    'index',
    `${differing.length} rows of ${names} differ from vault and log`,
    'Mend them with `sheaf index repair`.',
  );
};

const checkDrift = async (vault: Vault): Promise<Finding> => {
  const { rows } = await vault.status();
  if (rows.length === 0) return ok('vault', 'drift', 'files and log agree');
  const kinds = [...new Set(rows.map(row => row.kind))].map(
    kind => `${rows.filter(row => row.kind === kind).length} ${kind.replace('_', ' ')}`,
  );
  return warning('vault', 'drift', kinds.join(', '), 'See each with `sheaf status`; accept hand edits with `sheaf adopt`.');
};
