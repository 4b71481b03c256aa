/** Reports that cached rows were changed, to what must tell the other workers of this service. */

import type { Database } from "./database.ts";
import { perDatabase } from "./per_database.ts";

const stateOf = perDatabase((): { listener?: () => void } => ({}));

/** Registers what is called after each change of accounts or of definitions of custom fields. */
export function onForgotten(database: Database, listener: () => void): void {
  stateOf(database).listener = listener;
}

/** Calls what was registered. */
export function reportForgotten(database: Database): void {
  stateOf(database).listener?.();
}
