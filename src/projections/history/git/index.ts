export { findRepository, historyRef } from './find-repository.ts';
export { createGitHistory, type GitHistory, type GitHistoryState } from './git-history.ts';
export { createGitSchedule, type GitSchedule } from './git-schedule.ts';
