import { createHash } from 'node:crypto';
import { reasonOf } from '#errors';
import { approvalQuestion } from '../approval/approval.ts';
import { decidedAction } from '../approval/decided.ts';
import type { Execution, ExecutionOutcome, Executor, ExecutorDocument } from '../executor.ts';
import type { ExecutorSettings, ServiceSetting } from '../executor-settings.ts';
import { codeBlock, oneLine } from '../fence.ts';
import { outsideOf, settingName, untrusted } from '../outside-work.ts';
import { fillSlots, paramsOf } from '../slots.ts';
import { requestService, type ServiceAnswer, ServiceError, type ServiceRequest } from './checked-request.ts';

interface HttpExecutorOptions {
  readonly settings: () => ExecutorSettings;
  readonly trusted: () => boolean;
  /** The secret of that name for that origin. Throws an Error that names what is missing. */
  readonly readSecret: (name: string, origin: string) => string;
  readonly resolve?: ServiceRequest['resolve'];
}

/** Does a task by one call of a service of the machine's own list, with values of the task in the places that the list leaves open. */
export const createHttpExecutor = (options: HttpExecutorOptions): Executor => {
  const { settings, trusted, readSecret } = options;
  return {
    kind: 'http',
    async unready({ task, workflow }) {
      const found = findService(settings, task, workflow);
      return untrusted(trusted) ?? (typeof found === 'string' ? found : secretProblem(found.setting, readSecret));
    },
    async run(execution) {
      const found = findService(settings, execution.task, execution.workflow);
      if (typeof found === 'string') return { kind: 'failed', reason: found, retry: true };
      if (!trusted()) return { kind: 'failed', reason: untrusted(trusted) ?? '', retry: true };
      const call = callOf(found.name, found.setting, execution);
      if ('problem' in call) return { kind: 'failed', reason: call.problem, retry: false };
      const asked = { kind: 'http', name: found.name, method: found.setting.method, url: call.url.href, body: call.body } as const;
      const sources = outsideOf(execution);
      if (execution.decision !== null) {
        const decided = decidedAction(execution.decision);
        if ('outcome' in decided) return decided.outcome;
        // The list or the task may have changed since the person looked.
        if (JSON.stringify(decided.approval.action) !== JSON.stringify(asked)) {
          return { kind: 'failed', reason: 'what would be called now is not what was approved', retry: false };
        }
      } else if (sources.length > 0) {
        return {
          kind: 'waiting_for_human',
          question: approvalQuestion({ version: 1, who: `The task ${execution.task.path}`, sources, action: asked }),
        };
      }
      return callService(execution, found, call, options);
    },
  };
};

interface Found {
  readonly name: string;
  readonly setting: ServiceSetting;
}

const findService = (settings: () => ExecutorSettings, task: ExecutorDocument, workflow: ExecutorDocument | null): Found | string => {
  const name = settingName('x_service', task, workflow);
  if (name === null) return 'neither the task nor its workflow names a service with x_service';
  const { services } = settings();
  const setting = Object.hasOwn(services, name) ? services[name] : undefined;
  return setting === undefined ? `this machine knows no service '${oneLine(name)}': \`sheaf executor set\`` : { name, setting };
};

const secretProblem = (setting: ServiceSetting, readSecret: HttpExecutorOptions['readSecret']): string | null => {
  try {
    headersOf(setting, readSecret);
    return null;
  } catch (error) {
    return reasonOf(error);
  }
};

interface Headers {
  readonly all: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
}

const headersOf = ({ headers, origin }: ServiceSetting, readSecret: HttpExecutorOptions['readSecret']): Headers => {
  const secrets: string[] = [];
  const all: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string') all[name] = value;
    else {
      const secret = readSecret(value.secret, origin);
      if (!/^[\x20-\x7e]+$/.test(secret)) throw new Error(`the secret '${value.secret}' holds characters that no header can carry`);
      secrets.push(secret);
      all[name] = secret;
    }
  }
  return { all, secrets };
};

interface PlannedCall {
  readonly url: URL;
  readonly body: string | null;
}

const callOf = (name: string, setting: ServiceSetting, { task, workflow }: Execution): PlannedCall | { readonly problem: string } => {
  const params = paramsOf(task, workflow);
  const filled = fillSlots([setting.path], setting.slots, params, encodeURIComponent);
  if (filled.problem !== null) return { problem: filled.problem };
  const url = new URL(setting.origin + filled.parts.join(''));
  // Dot segments are taken out while an address is read; a value must not climb.
  const asWritten = filled.parts.join('').split('?', 1)[0];
  if (url.origin !== setting.origin || url.pathname !== asWritten)
    return { problem: `the path of the service '${name}' would lead elsewhere` };
  return { url, body: setting.body === 'params' ? JSON.stringify(params) : null };
};

const callService = async (
  execution: Execution,
  { name, setting }: Found,
  { url, body }: PlannedCall,
  { readSecret, resolve }: HttpExecutorOptions,
): Promise<ExecutionOutcome> => {
  let outcome: ExecutionOutcome;
  let shown = '';
  try {
    const headers = headersOf(setting, readSecret);
    const answer = await requestService({
      url,
      method: setting.method,
      headers: {
        accept: 'application/json, text/*',
        ...(body === null ? {} : { 'content-type': 'application/json' }),
        'idempotency-key': keyOf(execution),
        ...headers.all,
      },
      body,
      timeoutMs: setting.timeout_seconds * 1000,
      maxBytes: setting.max_bytes,
      loopback: setting.loopback,
      signal: execution.signal,
      resolve,
    });
    execution.taint(`the answer of the service '${name}'`);
    shown = withoutSecrets(answer.body, headers.secrets);
    outcome = outcomeOf(name, answer);
  } catch (error) {
    const temporary = error instanceof ServiceError && error.temporary;
    outcome = { kind: 'failed', reason: `the service '${name}': ${reasonOf(error)}`, retry: temporary };
  }
  await execution.step({
    name: `http ${name}`,
    status: outcome.kind === 'succeeded' ? 'ok' : 'failed',
    text: [
      `Called\n\n${codeBlock(`${setting.method} ${url.href}`)}`,
      outcome.kind === 'succeeded' ? outcome.summary : outcome.kind === 'failed' ? oneLine(outcome.reason, 500) : '',
      ...(shown === '' ? [] : [codeBlock(shown, 16_000)]),
    ].join('\n\n'),
    provenance: [execution.task.path, ...(execution.workflow === null ? [] : [execution.workflow.path])],
  });
  return outcome;
};

/** The same for every try of a task, so that a service which knows such keys does the work once. */
const keyOf = ({ task, decision }: Execution): string =>
  createHash('sha256')
    .update(JSON.stringify([task.path, task.data.dedupe_key ?? null, decision?.question ?? null]))
    .digest('hex')
    .slice(0, 32);

/** Services that repeat what they were sent must not put a secret on record. */
const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((left, secret) => left.replaceAll(secret, '(secret)').replaceAll(JSON.stringify(secret).slice(1, -1), '(secret)'), text);

const outcomeOf = (name: string, { status, retryAfterMs }: ServiceAnswer): ExecutionOutcome => {
  if (status >= 200 && status < 300) return { kind: 'succeeded', summary: `the service '${name}' answered ${status}` };
  if (status >= 300 && status < 400) {
    return { kind: 'failed', reason: `the service '${name}' redirects elsewhere (${status}), which is not followed`, retry: false };
  }
  // A wrong key is a setting that a person mends, and the work is still to be done then.
  const retry = status >= 500 || [401, 403, 407, 408, 409, 425, 429].includes(status);
  return {
    kind: 'failed',
    reason: `the service '${name}' answered ${status}`,
    retry,
    ...(retry && retryAfterMs !== null ? { retryAfterMs } : {}),
  };
};
