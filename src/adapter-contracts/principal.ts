export type PrincipalKind = 'human' | 'agent' | 'service' | 'system';

/** Ordered: a step-up asks for at least this much (readings: policy file). */
export const assuranceLevels = ['none', 'verified', 'strong'] as const;

/** The verified identity a host attaches beside an envelope, never inside it (§6.6). Its own names are camelCase, as the standard spells them. */
export interface Principal {
  /** Stable; recorded on every event. */
  readonly id: string;
  readonly kind: PrincipalKind;
  readonly workspaceIds: readonly string[];
  readonly capabilities: readonly string[];
  readonly authentication: { readonly provider: string; readonly assurance?: string };
}
