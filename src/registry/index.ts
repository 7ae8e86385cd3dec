export { type Definition, type PortabilityClass, portabilityClasses, type ReferenceRule, type Registry } from './definition.ts';
