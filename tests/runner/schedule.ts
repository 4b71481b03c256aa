/** Runs work side by side, as much as there is room for. */

/** Runs all jobs, at most `atOnce` at a time; each starts when there is room, the earlier ones of the list first. */
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
