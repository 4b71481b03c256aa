/** The two steps of adding a factor: the password, then the factor itself. */

import type { Millis } from "../../../base/clock.ts";

/** Maximum time between the two steps. */
export const SETUP_MS: Millis = 600_000;

/** The caller's password, and the address for which failures are counted. */
export interface WithPassword {
  readonly current: string;
  readonly address: string | null;
}

/** The second step. */
export interface Setup {
  /** State that the first step stored in the browser. */
  readonly setup: string;
  /** The web session that is kept; the first factor revokes all others. */
  readonly keepSession: number;
}
