import { reasonOf } from '#errors';

/** One thing that `doctor` looked at. A `problem` makes Sheaf unsafe or unusable; a `warning` is worth knowing. Both say how to mend it. */
export interface Finding {
  readonly area: 'machine' | 'vault';
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'problem';
  readonly detail: string;
  readonly remedy?: string;
}

export const ok = (area: Finding['area'], check: string, detail: string): Finding => ({ area, check, status: 'ok', detail });

export const warning = (area: Finding['area'], check: string, detail: string, remedy: string): Finding => ({
  area,
  check,
  status: 'warning',
  detail,
  remedy,
});

export const problem = (area: Finding['area'], check: string, detail: string, remedy: string): Finding => ({
  area,
  check,
  status: 'problem',
  detail,
  remedy,
});

/** Runs a check whose every failure is a finding of its own. */
export const attempt = async (
  area: Finding['area'],
  check: string,
  remedy: string,
  look: () => Promise<Finding | readonly Finding[]> | Finding | readonly Finding[],
): Promise<readonly Finding[]> => {
  try {
    const found = await look();
    return Array.isArray(found) ? found : [found as Finding];
  } catch (error) {
    return [problem(area, check, reasonOf(error), remedy)];
  }
};
