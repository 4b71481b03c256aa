/** Endpoints that need attention, in three groups that do not overlap. */

import { type SQL, sql } from "drizzle-orm";
import type { FilterField } from "../../filters/mod.ts";
import { columnOf } from "../../resource/mod.ts";
import { shownState } from "./shown_states.ts";
import { FOUND_STATES } from "./states.ts";

/**
 * `unknown`: serves a certificate that the inventory does not have, or has only as pending. `wrong`: any
 * other state except `ok`, `expiring` and `pending`. `expiring`: the state of that name.
 */
export const PROBLEMS = ["unknown", "wrong", "expiring"] as const;

/** States of the group `wrong`. */
const WRONG_STATES = FOUND_STATES.filter((state) => !["expiring", "ok"].includes(state));

/** The filter `problem`. */
export const problemFilter: FilterField = {
  kind: "predicate",
  type: "choice",
  choices: PROBLEMS,
  condition: (problem, { alias, shown }) => {
    const shownOf = (column: "state" | "states"): SQL =>
      shownState(column)(alias, shown) ?? columnOf(alias, column);
    const state = shownOf("state");
    if (problem === "expiring") return sql`${state} = 'expiring'`;
    const certificate = `${alias}_served`;
    const seen = shown("certmgr.certificate", certificate);
    // The condition of the index endpoints_wrong.
    const isWrong = sql`instr(${shownOf("states")}, '"wrong_certificate"') > 0`;
    const isKnown = sql`EXISTS (SELECT 1 FROM certificates AS ${sql.identifier(certificate)} WHERE ${
      columnOf(certificate, "id")
    } = ${columnOf(alias, "certificate_id")} AND ${columnOf(certificate, "status")} <> 'pending'${
      seen === undefined ? sql`` : sql` AND ${seen}`
    })`;
    return problem === "unknown"
      ? sql`(${isWrong} AND NOT ${isKnown})`
      : sql`(${state} IN (SELECT value FROM json_each(${
        JSON.stringify(WRONG_STATES)
      })) AND NOT (${isWrong} AND NOT ${isKnown}))`;
  },
};
