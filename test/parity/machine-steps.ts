import { type Step, step } from './step.ts';

const endpoint = { base_url: 'http://127.0.0.1:9/v1', model: 'small' };
const service = { origin: 'https://api.example', path: '/v1/items/{id}' };

export const machine: readonly Step[] = [
  step('a model', 'person', 'model.set', { name: 'local', ...endpoint }, 'done'),
  step('a model again, with a key', 'person', 'model.set', { name: 'local', ...endpoint, key_env: 'SHEAF_PARITY_KEY' }, 'done'),
  step('a model by an agent', 'clerk', 'model.set', { name: 'local', ...endpoint }, 'forbidden'),
  step(
    'a model over a plain connection',
    'person',
    'model.set',
    { name: 'far', base_url: 'http://api.example/v1', model: 'm' },
    'invalid_request',
  ),
  step('the models', 'person', 'model.list', {}, 'done'),
  step('the models, asked by an agent', 'clerk', 'model.list', {}, 'forbidden'),
  step('a test of a model', 'person', 'model.test', { name: 'local' }, 'done'),
  step('a test by an agent', 'clerk', 'model.test', { name: 'local' }, 'forbidden'),
  step('a test of a model that is not set', 'person', 'model.test', { name: 'none' }, 'not_found'),
  step('a model less', 'person', 'model.remove', { name: 'local' }, 'done'),
  step('a model that is gone', 'person', 'model.remove', { name: 'local' }, 'not_found'),
  step('a program by an agent', 'clerk', 'executor.set', { kind: 'command', name: 'sh', setting: { argv: ['/bin/sh'] } }, 'forbidden'),
  step('a service', 'person', 'executor.set', { kind: 'service', name: 'items', setting: service }, 'done'),
  step('a service again', 'person', 'executor.set', { kind: 'service', name: 'items', setting: service }, 'done'),
  step(
    'a service over a plain connection',
    'person',
    'executor.set',
    { kind: 'service', name: 'far', setting: { ...service, origin: 'http://api.example' } },
    'invalid_request',
  ),
  step('the ceilings of assistants', 'person', 'executor.set', { kind: 'assistant', setting: { steps: 7 } }, 'done'),
  step('what is allowed', 'person', 'executor.list', {}, 'done'),
  step('what is allowed, asked by an agent', 'clerk', 'executor.list', {}, 'forbidden'),
  step('a service less', 'person', 'executor.remove', { kind: 'service', name: 'items' }, 'done'),
  step('a service that is gone', 'person', 'executor.remove', { kind: 'service', name: 'items' }, 'not_found'),
  step('a key', 'person', 'secret.set', { name: 'shop', origin: 'https://shop.example', value: 'k-0123456789' }, 'done'),
  step('a key by an agent', 'clerk', 'secret.set', { name: 'shop', origin: 'https://shop.example', value: 'k' }, 'forbidden'),
  step('a key for no origin', 'person', 'secret.set', { name: 'shop', origin: 'shop.example', value: 'k' }, 'invalid_request'),
  step('the keys', 'person', 'secret.list', {}, 'done'),
  step('a key less', 'person', 'secret.remove', { name: 'shop' }, 'done'),
  step('a key that is gone', 'person', 'secret.remove', { name: 'shop' }, 'not_found'),
];
