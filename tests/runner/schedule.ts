/** Runs jobs concurrently, up to a limit. */

/** Runs all jobs, at most `atOnce` at a time; each starts when another one has ended, in the order of the list. */
export async function runAll(
  jobs: readonly (() => Promise<void>)[],
  { atOnce }: { atOnce: number },
): Promise<void> {
  const waiting = [...jobs];
  const runInTurn = async (): Promise<void> => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) await job();
  };
  await Promise.all(Array.from({ length: atOnce }, runInTurn));
}
