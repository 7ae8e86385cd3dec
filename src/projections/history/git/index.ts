export { createGitHistory, type GitHistoryState } from './git-history.ts';
export { createGitSchedule } from './git-schedule.ts';
