import { type FrontmatterMap, hasKey } from '#document';
import { type Definition, type PortabilityClass, portabilityClasses } from './definition.ts';

export const isPortabilityClass = (value: unknown): value is PortabilityClass =>
  typeof value === 'string' && (portabilityClasses as readonly string[]).includes(value);

/** The more restrictive of two classes: `structural` < `resource_bound` < `tenant_private` (§5.5). */
const mostRestrictive = (left: PortabilityClass, right: PortabilityClass): PortabilityClass =>
  portabilityClasses.indexOf(left) >= portabilityClasses.indexOf(right) ? left : right;

/**
 * The class a document really has: its own `x_portability` may make it more private than its type, never less; anything else is ignored
 * (§5.5, readings: portability overrides).
 */
export function effectivePortability(definition: Definition, data: FrontmatterMap): PortabilityClass {
  const override = hasKey(data, 'x_portability') ? data.x_portability : undefined;
  return isPortabilityClass(override) ? mostRestrictive(definition.portability, override) : definition.portability;
}
