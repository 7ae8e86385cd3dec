import { createRequire } from 'node:module';

/** The version of this build, from its package. */
const sheafVersion = (): string => (createRequire(import.meta.url)('sheaf/package.json') as { version: string }).version;

/** The version of the standard that this build implements (§14). */
const specVersion = '0.9';

/** What `--version` prints: text, or with `--json` one object. */
export const versionText = (json: boolean): string =>
  json ? JSON.stringify({ version: sheafVersion(), spec_version: specVersion }) : `sheaf ${sheafVersion()} (SSSS ${specVersion})`;
