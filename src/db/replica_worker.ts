/**
 * A worker that synchronizes the copy of a libSQL server's database, because the native call blocks its
 * thread. Responds to messages in their order.
 */

import Native from "libsql";

/** Tasks: open (and synchronize) the copy, synchronize it, release it. */
export type ReplicaTask =
  | { readonly task: "open"; readonly path: string; readonly url: string; readonly authToken: string }
  | { readonly task: "sync" }
  | { readonly task: "close" };

/** The result of a task: nothing, or an error message. */
export interface ReplicaReport {
  readonly error?: string;
}

interface Thread {
  onmessage: (event: { readonly data: ReplicaTask }) => void;
  postMessage(report: ReplicaReport): void;
}

const thread = globalThis as unknown as Thread;
let native: InstanceType<typeof Native> | undefined;

function perform(asked: ReplicaTask): void {
  if (asked.task === "close") {
    native?.close();
    return;
  }
  if (asked.task === "open") {
    native = new Native(asked.path, { syncUrl: asked.url, authToken: asked.authToken } as object);
  }
  native?.sync();
}

thread.onmessage = ({ data }): void => {
  let report: ReplicaReport = {};
  try {
    perform(data);
  } catch (error) {
    report = { error: error instanceof Error ? error.message : String(error) };
  }
  thread.postMessage(report);
};
