import { type Policy, PolicyError, parsePolicy } from '#policy';
import { isRegistryError, loadCoreRegistry, registryLock, verifyRegistryLock } from '#registry';
import { WorkspaceError } from '#workspace';
import { parsePrincipals, printPrincipals } from '../../../src/identity/principal-records.ts';
import { parseWorkspaceFile, printWorkspaceFile } from '../../../src/workspace/workspace-file.ts';
import { expand, type Grammar } from '../engine/grammar.ts';
import { type FuzzTarget, law, outcome } from '../engine/target.ts';
import { jsonGrammar, jsonTokens } from './json-grammar.ts';
import { survey } from './json-survey.ts';

const core = loadCoreRegistry();
const coreLock = registryLock(core);
const instant = '"2030-01-31T00:00:00Z"';
const hash = `"${'ab'.repeat(32)}"`;

/** The four files beside the registry's, each mostly whole. */
const grammar: Grammar = {
  ...jsonGrammar,
  file: ['<workspace>', '<policy>', '<principals>', '<lock>', '<json>'],
  workspace: [
    `{"workspace_id":"ws","spec_version":"0.9","created_at":${instant},"extensions":[<ids>]<more>}`,
    '{"workspace_id":<value>,"spec_version":<value>,"created_at":<value>,"extensions":<value><more>}',
  ],
  ids: ['', '"acme"', '"acme","acme"', '"../x"', '<value>'],
  more: ['', '', ',"adopt":"manual"', ',"adopt":<value>', ',"workspace_id":"other"', ',<member>', ',"__proto__":{"workspace_id":"x"}'],
  policy: [
    '{"floors":[{<selector>,"capabilities":["govern:x"]}]}',
    '{"step_up":[{<selector>,"assurance":"strong"}]}',
    '{"confirm":[{<selector>}]}',
    '{"lease_required":[<glob>]}',
    '{"floors":<value>,"confirm":<value>}',
    '{"floors":[],"floors":[]}',
    '{"floor":[]}',
  ],
  selector: [
    '"types":["rule"]',
    '"types":["nope"]',
    '"types":["ssss:*"]',
    '"actions":["delete"]',
    '"actions":[]',
    '"paths":[<glob>]',
    '"kinds":["agent"],"types":["skill"]',
    '"__proto__":{"types":["rule"]}',
    '<member>',
  ],
  glob: ['"rules/**"', '"/x"', '"a/../b"', '"**"', '"a//b"', '"a\\\\b"', '<value>'],
  principals: [
    '{"version":1,"principals":[<principal>]}',
    '{"version":1,"principals":[<principal>,<principal>]}',
    '{"version":1,"principals":[]}',
    '{"version":<value>,"principals":<value>}',
  ],
  principal: [
    `{"id":<text>,"kind":"agent","capabilities":[<grants>],"created_at":${instant},"expires_at":<when>,"revoked_at":<when>,"token_hash":${hash}<extra>}`,
    '<object>',
  ],
  grants: ['', '"a:b"', '"a:b","a:b"', '<items>'],
  when: ['null', instant, '"2030-13-31"', '<value>'],
  extra: ['', '', ',"kind":"human"', ',"__proto__":{"kind":"system"}', ',<member>'],
  lock: [
    `{"lock_version":1,"spec_version":"0.9","digest":"sha256:${'0'.repeat(64)}","extensions":[]}`,
    '{"lock_version":<value>,"digest":<value>,"extensions":<value>,"spec_version":<value>}',
  ],
};

export interface ConfigurationReaders {
  readonly parseWorkspaceFile: typeof parseWorkspaceFile;
  readonly parsePolicy: typeof parsePolicy;
  readonly parsePrincipals: typeof parsePrincipals;
  readonly verifyRegistryLock: typeof verifyRegistryLock;
}

export const configurationReaders: ConfigurationReaders = { parseWorkspaceFile, parsePolicy, parsePrincipals, verifyRegistryLock };

/** Whether a JSON text has a name twice in one map: then nobody can say what it means. */
const isAmbiguous = (text: string): boolean => 'value' in outcome(() => JSON.parse(text)) && survey(text).twice;

/** Reads a file, or refuses it with its own error, the file's name first; an ambiguous one is never read. */
const readOrRefuse = <T>(what: string, text: string, read: () => T, isRefusal: (error: unknown) => boolean): T | null => {
  const found = outcome(read);
  if ('value' in found) {
    law(!isAmbiguous(text), `${what}: a name that stands twice is refused`);
    return found.value;
  }
  law(isRefusal(found.thrown), `${what}: a refusal is the reader's own`, String(found.thrown));
  law((found.thrown as Error).message.includes(what), `${what}: a refusal names the file`, String(found.thrown));
  return null;
};

const checkPolicy = ({ floors, step_up, confirm, lease_required }: Policy): void => {
  law([floors, step_up, confirm, lease_required].every(Array.isArray), 'a policy has its four lists');
  for (const rule of [...floors, ...step_up, ...confirm]) {
    for (const list of [rule.types, rule.actions, rule.paths, rule.kinds])
      law(list === undefined || list.length > 0, 'no rule selects nothing', rule);
  }
};

/** `workspace.json`, `policy.json`, `principals.json` and the registry lock. */
export const createConfigurationTarget = (readers: ConfigurationReaders = configurationReaders): FuzzTarget => ({
  name: 'configuration',
  generate: random => expand(grammar, 'file', random, 6),
  tokens: [
    ...jsonTokens,
    '"workspace_id":"x",',
    '"version":1',
    '"extensions":[]',
    instant,
    hash,
    '"floors":[',
    '"capabilities":["a:b"]',
    '"kind":"system",',
  ],
  executions: 3000,
  guidedBy: /\/src\/(?:policy\/policy|workspace\/workspace-file|identity\/principal-records|registry\/(?:registry-lock|shape))/,
  check(input) {
    const text = input.toString('utf8');
    const file = readOrRefuse(
      'workspace.json',
      text,
      () => readers.parseWorkspaceFile(text),
      error => error instanceof WorkspaceError,
    );
    if (file !== null)
      law(
        JSON.stringify(readers.parseWorkspaceFile(printWorkspaceFile(file))) === JSON.stringify(file),
        'workspace.json: it is read as it was printed',
        file,
      );
    const policy = readOrRefuse(
      'policy.json',
      text,
      () => readers.parsePolicy(text, 'policy.json', core),
      error => error instanceof PolicyError && error.issues.length > 0,
    );
    if (policy !== null) checkPolicy(policy);
    const principals = readOrRefuse(
      'principals.json',
      text,
      () => readers.parsePrincipals(text, 'principals.json'),
      error => error instanceof Error,
    );
    if (principals !== null) {
      law(
        principals.every(({ kind }) => ['human', 'agent', 'service'].includes(kind)),
        'no file makes a system principal',
        principals,
      );
      law(
        JSON.stringify(readers.parsePrincipals(printPrincipals(principals), 'p')) === JSON.stringify(principals),
        'principals.json: it is read as it was printed',
        principals,
      );
    }
    law(!('thrown' in outcome(() => readers.verifyRegistryLock(core, coreLock))), 'registry.lock.json: the lock of the core is kept');
    readOrRefuse('registry.lock.json', text, () => readers.verifyRegistryLock(core, text), isRegistryError);
  },
});
