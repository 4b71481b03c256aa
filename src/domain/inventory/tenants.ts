/** Tenants: the owners of objects. */

import { encoded, issue } from "../../base/findings.ts";
import { z } from "zod";
import { boundedList } from "../../base/bounded_list.ts";
import {
  EXPECTED_THRESHOLD,
  listFault,
  parseThreshold,
  tooManyThresholds,
} from "../../base/expiry_threshold.ts";
import { MAX_EXPIRY_NOTICES } from "../../base/limits.ts";
import { tenant_groups as groupTable, tenants as table } from "../../db/schema/mod.ts";
import {
  type Brief,
  customFieldsField,
  defineResource,
  documented,
  expectedError,
  type Field,
  json,
  type Out,
  reference,
  type Resource,
  text,
  unexpected,
} from "../../resource/mod.ts";
import { commentsField, slugField, tagsField } from "./common_fields.ts";
import { detailField, nestedResource } from "./named.ts";

const NAME = "expiry_notices";

const threshold = z.string(expectedError(EXPECTED_THRESHOLD)).refine(
  (text) => parseThreshold(text) !== undefined,
  {
    error: ({ input }) => encoded(unexpected(EXPECTED_THRESHOLD, input)),
  },
);

const checked = boundedList(threshold, {
  max: MAX_EXPIRY_NOTICES,
  ...expectedError("a list of thresholds or null"),
  tooMany: (count) => `Expected ${tooManyThresholds(count)}.`,
})
  .superRefine((texts, context) => {
    const fault = listFault(texts);
    if (fault !== undefined) {
      context.addIssue({ code: "custom", message: issue("unexpected", { expected: fault }) });
    }
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

const OBJECT_TYPE = "tenancy.tenant";

export const tenantGroups = nestedResource({
  objectType: "tenancy.tenantgroup",
  path: "tenancy/tenant-groups",
  label: "tenant group",
  table: groupTable,
});

export const tenants = defineResource({
  objectType: OBJECT_TYPE,
  path: "tenancy/tenants",
  label: "tenant",
  table,
  fields: [
    text("name", { description: "Name; unique.", required: true, max: 100 }),
    slugField(),
    detailField("group", {
      description: "The group it belongs to, by id, slug or name.",
      target: (): Resource => tenantGroups,
      onDelete: "clear",
    }),
    text("description", { description: "Description." }),
    expiryNoticesField("the service's (`CERTMGR_EXPIRY_NOTICES`)"),
    commentsField(),
    tagsField(OBJECT_TYPE),
    customFieldsField(OBJECT_TYPE),
  ],
  brief: ["name", "slug", "description"],
  search: { fields: ["name", "slug", "description"] },
  unique: ["name", "slug"],
});

export type Tenant = Out<typeof tenants>;

export function tenantField(): Field<"tenant", Brief | null> {
  return reference("tenant", {
    description: "The tenant it belongs to, by id, name or slug.",
    target: (): Resource => tenants,
    keys: ["slug", "name"],
    onDelete: "restrict",
  });
}
