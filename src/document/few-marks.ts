/** No script puts as many marks on one letter; the bound of Unicode's stream-safe form (UAX 15). */
const most = 30;
const longRun = new RegExp(`(\\p{M}{${most}})\\p{M}+`, 'gu');

/**
 * The text without what stands beyond thirty marks on one letter. Whoever normalises what somebody wrote does this first: sorting the marks of a letter
 * takes time that grows with the square of their number, and one letter with 400,000 of them holds a process up for minutes.
 */
export const withFewMarks = (text: string): string => (text.length <= most ? text : text.replace(longRun, '$1'));
