/** The field `expiry_notices` of tenants and certificates. */

import { z } from "zod";
import { boundedList } from "../../base/bounded_list.ts";
import {
  EXPECTED_THRESHOLD,
  listFault,
  parseThreshold,
  tooManyThresholds,
} from "../../base/expiry_threshold.ts";
import { MAX_EXPIRY_NOTICES } from "../../base/limits.ts";
import { documented, expectedError, type Field, json, quote } from "../../resource/mod.ts";

const NAME = "expiry_notices";
const EXPECTED = `Expected ${EXPECTED_THRESHOLD}`;

const threshold = z.string(expectedError(EXPECTED)).refine((text) => parseThreshold(text) !== undefined, {
  error: (issue) => `${EXPECTED}, not ${quote(issue.input)}.`,
});

const checked = boundedList(threshold, {
  max: MAX_EXPIRY_NOTICES,
  ...expectedError("Expected a list of thresholds or null"),
  tooMany: (count) => `Expected ${tooManyThresholds(count)}.`,
})
  .superRefine((texts, context) => {
    const fault = listFault(texts);
    if (fault !== undefined) context.addIssue({ code: "custom", message: `Expected ${fault}.` });
  });

const thresholds = documented(checked, {
  type: "array",
  items: {
    type: "string",
    pattern: "^(?:(?:0|[1-9][0-9]{0,2}|[12][0-9]{3}|3[0-5][0-9]{2}|36[0-4][0-9]|3650)d|[1-9][0-9]?%)$",
  },
  uniqueItems: true,
  maxItems: MAX_EXPIRY_NOTICES,
});

/**
 * Defines the field `expiry_notices`: null inherits, an empty list disables notices. Filters match its JSON
 * text: `expiry_notices=33%` matches lists with this threshold, `expiry_notices__empty=true` matches null.
 * @param inherits Whose thresholds apply for null, for the description.
 */
export function expiryNoticesField(inherits: string): Field<"expiry_notices", string[] | null> {
  return {
    ...json(NAME, {
      description:
        "When webhooks are notified of the expiry: days before it (`30d`; `0d` is the day itself) and parts " +
        `of the lifetime left (\`33%\`). An empty list: never; null: ${inherits}.`,
      schema: thresholds.nullable(),
      fallback: null,
    }),
    output: z.array(z.string()).nullable(),
    filters: {
      [NAME]: { kind: "text", column: NAME, nullable: true, sortable: false, defaultOperator: "icontains" },
    },
  };
}
