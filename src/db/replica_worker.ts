/**
 * A thread that keeps the copy of a libSQL server's database in a file: asking for what is new blocks, and must not
 * block requests. Answers each message, in turn.
 */

import Native from "libsql";

/** What the thread is asked: to open the copy (and bring it up to date), to bring it up to date, to let go of it. */
export type ReplicaTask =
  | { readonly task: "open"; readonly path: string; readonly url: string; readonly authToken: string }
  | { readonly task: "sync" }
  | { readonly task: "close" };

/** What it answers: nothing, or what went wrong. */
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
