/** Conditions of webhooks: filters that an object must match for its events to be sent. */

import type { Context } from "../../auth/mod.ts";
import { type Condition, noRegexes, parseFiltersObject, quoteInput } from "../../filters/mod.ts";
import type { Resource } from "../../resource/mod.ts";
import { webhookSubjects } from "./events.ts";
import { snapshotMap } from "./snapshot_map.ts";

/**
 * Regular expressions are refused, as in constraints of permissions, because every event would be matched
 * against them.
 */
const NO_REGEXES = noRegexes("in conditions");

/** Compiles conditions for objects of one type, or returns errors that name the filter. */
export function compileConditions(
  ctx: Pick<Context, "database">,
  { conditions, subject }: { conditions: unknown; subject: Resource },
): { readonly condition: Condition } | { readonly faults: readonly string[] } {
  const { condition, errors } = parseFiltersObject(conditions, snapshotMap(ctx, subject), {
    regexes: NO_REGEXES,
  });
  const faults = Object.entries(errors).flatMap(([key, messages]) =>
    messages.map((message) => key === "__all__" ? message : `${quoteInput(key)}: ${message}`)
  );
  return faults.length > 0 ? { faults } : { condition };
}

/** Returns the errors of conditions for any of these object types; each message names the type. */
export function conditionFaults(
  ctx: Pick<Context, "database">,
  { conditions, objectTypes }: { conditions: unknown; objectTypes: readonly string[] },
): string[] {
  return webhookSubjects().filter((one) => objectTypes.includes(one.objectType)).flatMap((subject) => {
    const result = compileConditions(ctx, { conditions, subject });
    return "faults" in result ? result.faults.map((fault) => `${subject.objectType}: ${fault}`) : [];
  });
}
