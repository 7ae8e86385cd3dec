export { governedTypes } from '#policy';
