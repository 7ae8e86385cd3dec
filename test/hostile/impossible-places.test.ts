import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { patience, temporaryPlace } from './hostile-vault.ts';

/** Runs the command; a process that never ends counts as no answer. */
const sheaf = (parameters: readonly string[], stateDir: string) => {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const { status, stderr } = spawnSync(process.execPath, ['bin/sheaf.cjs', ...parameters], {
    env: { ...env, SHEAF_STATE_DIR: stateDir },
    encoding: 'utf8',
    timeout: 25_000,
  });
  return { status, stderr };
};

describe.skipIf(process.platform !== 'linux')('places where nothing can be made', () => {
  test.each(['/proc/nothing', '/proc/nothing/below', '/sys/nothing', '/dev/null/below', '/dev/full'])(
    'init %s ends with a refusal',
    patience,
    place => {
      const { base, end } = temporaryPlace();
      try {
        const { status, stderr } = sheaf(['init', place], base);
        expect(status).toBe(1);
        expect(stderr).toContain(place.split('/').slice(0, 3).join('/'));
      } finally {
        end();
      }
    },
  );

  test('a machine state that cannot be kept ends with a refusal', patience, () => {
    const { root, end } = temporaryPlace();
    try {
      expect(sheaf(['init', root], '/proc/nothing').status).toBe(0);
      const added = sheaf(['principal', 'add', 'agent:a', '--kind', 'agent', '--cap', 'write:event', '--vault', root], '/proc/nothing');
      expect(added.status).toBe(1);
      expect(added.stderr).toContain('/proc/nothing');
    } finally {
      end();
    }
  });
});
