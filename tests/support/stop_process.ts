/** Ends processes that a test started. */

/** Kills a process and waits for its end. */
export async function stop(child: Deno.ChildProcess): Promise<void> {
  try {
    child.kill("SIGKILL");
  } catch {
    // It has ended by itself.
  }
  await child.status;
}
