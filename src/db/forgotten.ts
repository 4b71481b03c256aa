/** Reports changes of cached rows to a listener, which notifies the other workers of this service. */

import type { Database } from "./database.ts";
import { perDatabase } from "./per_database.ts";

const stateOf = perDatabase((): { listener?: () => void } => ({}));

/** Registers a listener that is called after each change of accounts or of definitions of custom fields. */
export function onForgotten(database: Database, listener: () => void): void {
  stateOf(database).listener = listener;
}

/** Calls the registered listeners. */
export function reportForgotten(database: Database): void {
  stateOf(database).listener?.();
}
