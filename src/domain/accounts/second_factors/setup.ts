/** The two steps in which a factor is added: the password, then the new factor itself. */

import type { Millis } from "../../../base/clock.ts";

/** How long the second step may take. */
export const SETUP_MS: Millis = 600_000;

/** The caller's password, and the address that its failures are counted for. */
export interface WithPassword {
  readonly current: string;
  readonly address: string | null;
}

/** The second step. */
export interface Setup {
  /** State that the first step stored in the browser. */
  readonly setup: string;
  /** The web session that stays open; the first factor ends all others. */
  readonly keepSession: number;
}
