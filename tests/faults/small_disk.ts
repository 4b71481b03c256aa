/** A small disk: a file system in memory or, if none can be mounted, a limit on the size of each file. */

import assert from "node:assert/strict";

/** A folder on a small disk. */
export interface SmallDisk extends AsyncDisposable {
  readonly path: string;
  /** Maximum size of a file, for `startService`; undefined if the file system has the limit. */
  readonly fileKiB: number | undefined;
  /** Fills the remaining space. */
  fill(): Promise<void>;
  /** Adds space, also for a running process. */
  grow(pid: number): Promise<void>;
}

/** Mounts a disk of this size in KiB. */
export async function smallDisk(kib: number): Promise<SmallDisk> {
  const path = await Deno.makeTempDir({ prefix: "certmgr-disk-" });
  const mounted = await runs("mount", "-t", "tmpfs", "-o", `size=${kib}k`, "tmpfs", path);
  return {
    path,
    fileKiB: mounted ? undefined : kib / 2,
    async fill(): Promise<void> {
      if (mounted) {
        assert(!await runs("dd", "if=/dev/zero", `of=${path}/ballast`, "bs=1k"), "The disk has no end");
      }
    },
    async grow(pid): Promise<void> {
      assert(
        mounted
          ? await runs("mount", "-o", "remount,size=64m", path)
          : await runs("prlimit", `--pid=${pid}`, "--fsize=unlimited"),
        "The disk stays small",
      );
    },
    async [Symbol.asyncDispose](): Promise<void> {
      if (mounted) assert(await runs("umount", path), "The disk is still in use");
      await Deno.remove(path, { recursive: true });
    },
  };
}

async function runs(program: string, ...args: readonly string[]): Promise<boolean> {
  try {
    return (await new Deno.Command(program, { args: [...args], stdout: "null", stderr: "null" }).output())
      .success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
