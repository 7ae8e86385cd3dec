import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { LanguageModel } from '#adapter-contracts';
import { reasonOf } from '#errors';
import { createHostedModel, type ReadKey } from './hosted-model.ts';
import {
  checkModelSettings,
  type ModelKeySource,
  type ModelSetting,
  type ModelSettings,
  ModelSettingsError,
  originOf,
  parseModelSettings,
  printModelSettings,
} from './language-model-settings.ts';
import { createScriptedModel, parseScript } from './scripted-model.ts';

/** What a name stands for on this machine. */
type ResolvedModel = { readonly model: LanguageModel; readonly problem: null } | { readonly model: null; readonly problem: string };

/** The language models of one vault on this machine (`models.json`). */
export interface LanguageModels {
  /** As written. Throws `ModelSettingsError`. */
  read(): ModelSettings;
  /** Sets one model; `null` removes it. Throws `ModelSettingsError` rather than write what cannot be used. Gives whether it was there. */
  set(name: string, setting: unknown): Promise<boolean>;
  /** The model of exactly this setting. */
  open(name: string): ResolvedModel;
  /**
   * The model that an assistant's `model` stands for (readings: models): a setting of that name, one whose `model` or `for` is that name, one that
   * stands for every other (`*`). Without a name: the setting `default`, or the only one.
   */
  resolve(name: string | null): ResolvedModel;
  /** Why a set model cannot be asked now, without asking it; null when nothing is known against it. */
  obstacle(setting: ModelSetting): string | null;
}

interface LanguageModelOptions {
  /** Where the settings are kept: read whole, replaced whole. */
  readonly file: {
    readonly path: string;
    read(): string | null;
    change(edit: (text: string | null) => string): Promise<void>;
  };
  /** The secret of that name for that origin. Throws an Error that names what is missing. */
  readonly readSecret: (name: string, origin: string) => string;
  readonly environment?: NodeJS.ProcessEnv;
}

/** Opens the settings of language models. They are read again for every use, so that a running server follows them. */
export const openLanguageModels = ({ file, readSecret, environment = process.env }: LanguageModelOptions): LanguageModels => {
  const parse = (text: string | null): ModelSettings => (text === null ? {} : parseModelSettings(text, file.path));
  const read = (): ModelSettings => parse(file.read());
  const readKey: ReadKey = source => keyOf(source, readSecret, environment);
  const openSetting = (name: string, setting: ModelSetting): LanguageModel =>
    setting.provider === 'scripted' ? createScriptedModel(name, setting) : createHostedModel(name, setting, readKey);
  const attempt = (find: (settings: ModelSettings) => string): ResolvedModel => {
    try {
      const settings = read();
      const name = find(settings);
      return { model: openSetting(name, settings[name] as ModelSetting), problem: null };
    } catch (error) {
      return { model: null, problem: reasonOf(error) };
    }
  };
  const obstacle = (setting: ModelSetting): string | null => {
    if (setting.provider === 'scripted') return existsSync(setting.script) ? null : `the script '${setting.script}' is not there`;
    if (setting.key === null) return null;
    try {
      readKey(setting.key);
      return null;
    } catch (error) {
      return reasonOf(error);
    }
  };
  return {
    read,
    async set(name, setting) {
      let known = false;
      await file.change(text => {
        const current = parse(text);
        known = Object.hasOwn(current, name);
        const others = Object.fromEntries(Object.entries(current).filter(([other]) => other !== name));
        const next = checkModelSettings({ version: 1, models: setting === null ? others : { ...others, [name]: setting } }, 'models.json');
        const made = next[name];
        if (made?.provider === 'scripted') parseScript(textOf(made.script), made.script);
        return printModelSettings(next);
      });
      return known;
    },
    open: name => attempt(settings => existing(settings, name)),
    resolve(name) {
      const found = attempt(settings => (name === null ? unnamed(settings) : meant(settings, name)));
      // Work waits for what is known to be missing rather than fail by it.
      const setting = found.model === null ? undefined : read()[found.model.name];
      const problem = setting === undefined ? null : obstacle(setting);
      return problem === null ? found : { model: null, problem: `the model '${found.model?.name}' cannot be asked: ${problem}` };
    },
    obstacle,
  };
};

const textOf = (script: string): string => {
  if (!isAbsolute(script)) throw new ModelSettingsError(`script: '${script}' is no absolute path`);
  try {
    return readFileSync(script, 'utf8');
  } catch (error) {
    throw new ModelSettingsError(`script: ${reasonOf(error)}`, { cause: error });
  }
};

const keyOf = (source: ModelKeySource, readSecret: LanguageModelOptions['readSecret'], environment: NodeJS.ProcessEnv): string => {
  if ('secret' in source) return readSecret(source.secret, source.origin);
  const value = environment[source.env]?.trim();
  if (value !== undefined && value !== '') return value;
  throw new Error(`the environment variable ${source.env}, which is to hold the key for ${source.origin}, is not set`);
};

const existing = (settings: ModelSettings, name: string): string => {
  if (Object.hasOwn(settings, name)) return name;
  throw new Error(`no language model '${name}' is set on this machine${choices(settings)}`);
};

const unnamed = (settings: ModelSettings): string => {
  const names = Object.keys(settings);
  const [only] = names;
  if (Object.hasOwn(settings, 'default')) return 'default';
  if (only !== undefined && names.length === 1) return only;
  throw new Error(
    only === undefined
      ? 'no language model is set on this machine: `sheaf model set`'
      : `the assistant names no model, and none of those set here is called 'default' (${names.join(', ')})`,
  );
};

const meant = (settings: ModelSettings, name: string): string => {
  if (Object.hasOwn(settings, name)) return name;
  const names = Object.keys(settings);
  const standing = (test: (setting: ModelSetting) => boolean): readonly string[] =>
    names.filter(known => test(settings[known] as ModelSetting));
  const exact = standing(setting => setting.for.includes(name) || (setting.provider !== 'scripted' && setting.model === name));
  const fitting = exact.length > 0 ? exact : standing(setting => setting.for.includes('*'));
  const [found] = fitting;
  if (found === undefined) {
    throw new Error(
      `no language model on this machine stands for '${name}'${choices(settings)}: \`sheaf model set NAME --for '${name}' …\``,
    );
  }
  if (fitting.length > 1) throw new Error(`several language models on this machine stand for '${name}': ${fitting.join(', ')}`);
  return found;
};

const choices = (settings: ModelSettings): string => {
  const names = Object.keys(settings);
  return names.length === 0 ? '; none is set' : `; there are: ${names.join(', ')}`;
};

/** A model for people: without anything that could be secret. */
export const describeSetting = (
  name: string,
  setting: ModelSetting,
): {
  readonly name: string;
  readonly provider: ModelSetting['provider'];
  readonly model: string;
  readonly place: string;
  readonly key: string | null;
  readonly for: readonly string[];
} => ({
  name,
  provider: setting.provider,
  model: setting.provider === 'scripted' ? 'script' : setting.model,
  place: originOf(setting) ?? (setting as { readonly script: string }).script,
  key: setting.provider === 'scripted' || setting.key === null ? null : 'env' in setting.key ? `$${setting.key.env}` : setting.key.secret,
  for: setting.for,
});
