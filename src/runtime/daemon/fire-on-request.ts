import { invalidMember, VaultError } from '#errors';
import type { Requester } from '../planning/firing.ts';
import { manualTrigger } from '../triggers/manual-trigger.ts';
import type { Trigger } from '../triggers/trigger.ts';
import { fireTrigger } from './fire-trigger.ts';
import { type Definitions, loadDefinitions } from './load-definitions.ts';
import type { RuntimeHost } from './runtime-host.ts';
import type { Fired } from './submit-firing.ts';

export interface FireRequest {
  /** By id or by path. */
  readonly workflow: string;
  /** Null = its one trigger of the type `manual`, or none of them. */
  readonly trigger: string | null;
  /** The same key fires once. */
  readonly key: string;
  readonly by: Requester;
}

/**
 * Fires a workflow because somebody asks (§11.8 `manual`). Throws `not_found` for what does not exist, `invalid_request` for what may not fire, with the
 * reason, and `internal_error` when the firing could not be recorded.
 */
export const fireOnRequest = async (host: RuntimeHost, request: FireRequest): Promise<Fired> => {
  await host.projections.level();
  const trigger = chosenTrigger(await loadDefinitions(host), request);
  if (!trigger.active) throw invalidMember('workflow', `'${trigger.path}' is switched off: nothing of it fires while it is not active.`);
  const fired = await fireTrigger(host, trigger, { kind: 'manual', at: host.now(), key: request.key, by: request.by });
  if (fired.outcome === 'failed') throw new VaultError('internal_error', {}, `The firing could not be recorded: ${fired.reason}`);
  return fired;
};

const chosenTrigger = (definitions: Definitions, { workflow: name, trigger: id }: FireRequest): Trigger => {
  const path = name.replace(/^\//, '');
  const workflow = definitions.workflows.find(each => each.path === path) ?? definitions.workflows.find(each => each.id === name);
  const fault = definitions.faults.find(each => each.path === path && (each.triggerId === null || each.triggerId === id));
  if (workflow === undefined) {
    if (fault !== undefined) throw invalidMember('workflow', `'${path}' does not fire: ${fault.field}: ${fault.reason}`);
    throw new VaultError('not_found', { path }, `There is no workflow '${name}'; \`sheaf ls --type workflow\` lists them.`);
  }
  const own = definitions.triggers.filter(each => each.workflow.id === workflow.id);
  if (id !== null) {
    const found = own.find(each => each.id === id);
    if (found !== undefined) return found;
    const broken = definitions.faults.find(each => each.triggerId === id && each.path === workflow.path) ?? fault;
    if (broken !== undefined) throw invalidMember('trigger', `the trigger '${id}' does not fire: ${broken.field}: ${broken.reason}`);
    if (id === manualTrigger(workflow).id) return manualTrigger(workflow);
    const known = own.map(each => each.id).join(', ') || 'none';
    throw new VaultError('not_found', { path: workflow.path }, `'${workflow.id}' has no trigger '${id}' (it has: ${known}).`);
  }
  const manual = own.filter(each => each.selector.type === 'manual');
  if (manual.length > 1) {
    throw invalidMember('trigger', `'${workflow.id}' has several manual triggers: name one of ${manual.map(each => each.id).join(', ')}.`);
  }
  return manual[0] ?? manualTrigger(workflow);
};
