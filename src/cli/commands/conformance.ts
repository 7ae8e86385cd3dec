import type { Command } from 'commander';
import type { Bind } from '../runner.ts';
export const addConformanceCommand = (_program: Command, _bind: Bind): void => undefined;
