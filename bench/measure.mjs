// Paired, interleaved timing: ours and the other alternate in one run, because the disk of a shared machine drifts within minutes and
// only ratios of neighbours mean anything.

const quantile = (sorted, q) => {
  const position = (sorted.length - 1) * q;
  const low = Math.floor(position);
  return sorted[low] + (sorted[Math.min(low + 1, sorted.length - 1)] - sorted[low]) * (position - low);
};

const summary = values => {
  const sorted = [...values].sort((a, b) => a - b);
  return { median: quantile(sorted, 0.5), q1: quantile(sorted, 0.25), q3: quantile(sorted, 0.75) };
};

/** Runs both sides `repetitions` times, after one round to warm up, alternating who goes first. Each side returns its time per unit of work. */
export const paired = async ({ repetitions, ours, other, ratioOf = (a, b) => a / b }) => {
  const results = { ours: [], other: [], ratio: [] };
  await ours(-1);
  await other(-1);
  for (let round = 0; round < repetitions; round++) {
    const first = round % 2 === 0 ? 'ours' : 'other';
    const times = {};
    for (const side of first === 'ours' ? ['ours', 'other'] : ['other', 'ours'])
      times[side] = await (side === 'ours' ? ours : other)(round);
    results.ours.push(times.ours);
    results.other.push(times.other);
    results.ratio.push(ratioOf(times.ours, times.other));
  }
  return { ours: summary(results.ours), other: summary(results.other), ratio: summary(results.ratio), repetitions };
};

/** Milliseconds that `work` takes. */
export const timed = async work => {
  const start = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - start) / 1e6;
};
