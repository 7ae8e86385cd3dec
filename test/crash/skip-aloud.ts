/** For `skipIf`: true when there is a reason to skip, which is printed, because a runner only counts what it skips. */
export const skipAloud = (what: string, reason: string | null): boolean => {
  if (reason !== null) process.stdout.write(`\nskipped: ${what}: ${reason}\n`);
  return reason !== null;
};
