import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KernelResponse } from '#api';
import { reasonOf } from '#errors';
import { initVault, openVault } from '#open-vault';
import { type Finding, ok, problem } from './finding.ts';

const text = `---
type: rule
title: Round trip
description: Written by the doctor into a vault of its own.
timestamp: 2026-01-01T00:00:00Z
name: Round trip # kept
---
It works.
`;

/** Makes a vault in the temporary directory, takes one document through create, patch and read, and removes everything. */
export const checkRoundTrip = async (): Promise<Finding> => {
  const place = mkdtempSync(join(tmpdir(), 'sheaf-doctor-'));
  const started = performance.now();
  try {
    const { root, workspaceId } = await initVault({ root: join(place, 'vault'), workspaceId: 'doctor' });
    const vault = await openVault({ root, stateDir: join(place, 'state') });
    try {
      const path = 'rules/round-trip.md';
      const send = async (key: string, change: object): Promise<void> =>
        mustSucceed(
          await vault.execute({ ...change, path, workspace_id: workspaceId, idempotency_key: key }, { principal: vault.localPrincipal() }),
        );
      await send('write', { type: 'operation', content: text });
      await send('patch', { type: 'patch', patches: { scope: 'doctor' } });
      const stored = (await vault.read(path))?.text;
      const events = [];
      for await (const { event } of vault.events()) events.push(event.action);
      if (stored !== text.replace('# kept\n', '# kept\nscope: doctor\n')) throw new Error('what was read back is not what was written');
      if (events.join() !== 'create,patch') throw new Error(`the log holds '${events.join()}' instead of 'create,patch'`);
    } finally {
      await vault.close();
    }
    return ok('machine', 'round trip', `wrote, patched and read a document in ${Math.round(performance.now() - started)} ms`);
  } catch (error) {
    return problem(
      'machine',
      'round trip',
      reasonOf(error),
      'Mend the other findings first; if there are none, this is a defect of Sheaf.',
    );
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
};

const mustSucceed = (response: KernelResponse): void => {
  if (!response.success) throw new Error(`${response.error.message} [${response.error.code}]`);
};
