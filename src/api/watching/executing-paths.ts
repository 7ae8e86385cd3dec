import type { Kernel } from '#kernel';

/** A kernel, and the paths for which it is executing an envelope now. */
export interface ObservedKernel {
  readonly kernel: Kernel;
  isExecuting(path: string): boolean;
}

/** Between its document and its event a commit looks like a hand edit; whoever adopts those asks here first. */
export const observeKernel = (kernel: Kernel): ObservedKernel => {
  const counts = new Map<string, number>();
  return {
    isExecuting: path => counts.has(path),
    kernel: {
      ...kernel,
      async execute(envelope, context) {
        const path = typeof envelope === 'object' && envelope !== null && 'path' in envelope ? envelope.path : null;
        if (typeof path !== 'string') return kernel.execute(envelope, context);
        counts.set(path, (counts.get(path) ?? 0) + 1);
        try {
          return await kernel.execute(envelope, context);
        } finally {
          const left = (counts.get(path) ?? 1) - 1;
          if (left === 0) counts.delete(path);
          else counts.set(path, left);
        }
      },
    },
  };
};
