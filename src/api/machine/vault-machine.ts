import type { LanguageModel } from '#adapter-contracts';
import type { Secrets } from '#identity';
import type { Executor, ExecutorSettings } from '#runtime';

/** A language model as this machine has set it; nothing of it is secret. */
export interface ModelSummary {
  readonly name: string;
  readonly provider: 'openai-compatible' | 'anthropic' | 'scripted';
  /** What the provider calls it. */
  readonly model: string;
  /** The origin that is asked, or the file of a script. */
  readonly place: string;
  /** Where its key is read from: `$NAME` for an environment variable, else the name of a secret; null = none. */
  readonly key: string | null;
  /** Names that documents use for it. */
  readonly for: readonly string[];
  /** Why it cannot be asked now, as far as is known without asking. */
  readonly problem: string | null;
}

/** An OpenAI-compatible endpoint that answers on this machine; offered, never used by itself. */
export interface FoundEndpoint {
  readonly usually: string;
  readonly base_url: string;
  readonly models: readonly string[];
}

export type ResolvedModel = { readonly model: LanguageModel; readonly problem: null } | { readonly model: null; readonly problem: string };

/** The settings of language models (`models.json`), as the composition root brings them. */
export interface ModelSettingsPart {
  list(): readonly ModelSummary[];
  /** Sets a model, `null` removes it; a problem is a setting that cannot be used. */
  set(name: string, setting: Readonly<Record<string, unknown>> | null): Promise<{ readonly known: boolean } | { readonly problem: string }>;
  open(name: string): ResolvedModel;
  resolve(name: string | null): ResolvedModel;
  discover(): Promise<readonly FoundEndpoint[]>;
}

/** Language models of this machine (readings: models). Nothing requires one. */
export interface VaultModels extends Omit<ModelSettingsPart, 'resolve'> {
  /** The model that an assistant's `model` names: a setting, a `model_id`, or the path of a `model` document. */
  resolve(name: string | null): Promise<ResolvedModel>;
}

/** Which part of `executors.json` something is. */
type AllowedKind = 'command' | 'service';

/** What this machine lets the vault's work do beside the vault (readings: executors). */
export interface VaultExecutors {
  /** Throws an Error that names what is wrong with the file. */
  settings(): ExecutorSettings;
  /** Allows a program or a service; false when the name was not known before. Throws `VaultError('invalid_request')`. */
  allow(kind: AllowedKind, name: string, setting: unknown): Promise<boolean>;
  /** False when it was not allowed. */
  forbid(kind: AllowedKind, name: string): Promise<boolean>;
  /** Sets the ceilings of a run of an assistant. Throws `VaultError('invalid_request')`. */
  limit(budget: unknown): Promise<void>;
  /** The ways in which a worker of this machine can do a task. */
  readonly all: readonly Executor[];
}

/** What this machine adds to a vault and keeps outside it: models, programs and services, and their keys. */
export interface VaultMachine {
  readonly models: VaultModels;
  readonly executors: VaultExecutors;
  readonly secrets: Secrets;
}
