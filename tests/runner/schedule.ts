/** Runs work side by side: as much as there is room for, and not more of a kind than that allows. */

/** One piece of work. */
export interface Job {
  /** What it has in common with others, with their limit. */
  readonly kind: {
    /** Pieces of this kind that run at the same time. */
    readonly jobs: number;
    /** Whether nothing of another kind runs at the same time. */
    readonly alone: boolean;
  };
  readonly run: () => Promise<void>;
}

/** Runs all jobs, at most `slots` at a time; each starts as soon as it may, the earlier ones of the list first. */
export async function runAll(jobs: readonly Job[], { slots }: { slots: number }): Promise<void> {
  const waiting = [...jobs];
  const running = new Map<Job, Promise<void>>();
  const mayStart = ({ kind }: Job): boolean => {
    const others = [...running.keys()];
    if (others.length >= slots || others.filter((other) => other.kind === kind).length >= kind.jobs) {
      return false;
    }
    return others.every((other) => other.kind === kind || !(kind.alone || other.kind.alone));
  };
  while (waiting.length > 0 || running.size > 0) {
    for (let index = waiting.findIndex(mayStart); index >= 0; index = waiting.findIndex(mayStart)) {
      const [job] = waiting.splice(index, 1) as [Job];
      running.set(job, job.run().finally(() => running.delete(job)));
    }
    await Promise.race(running.values());
  }
}
