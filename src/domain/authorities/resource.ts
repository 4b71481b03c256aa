/** Certificate authorities: who issues, and whether the organisation approves of it. */

import { sql } from "drizzle-orm";
import { z } from "zod";
import { restrictionSql, visible } from "../../auth/mod.ts";
import { MAX_PEM_TEXT_BYTES } from "../../base/limits.ts";
import { webUrlFault } from "../../base/web_url.ts";
import { certificate_authorities as table } from "../../db/schema/mod.ts";
import { isNothing } from "../../filters/mod.ts";
import {
  boolean,
  choice,
  columnOf,
  defineResource,
  documented,
  expression,
  type Field,
  id,
  longColumn,
  text,
  timestamps,
} from "../../resource/mod.ts";
import { tagsField } from "../inventory/mod.ts";
import { prepareAuthorities } from "./prepare.ts";

/** Characters of an address. */
const MAX_ADDRESS_CHARS = 500;
const OBJECT_TYPE = "certmgr.certificateauthority";

/** `certmgr.certificateauthority`. */
export const authorities = defineResource({
  objectType: OBJECT_TYPE,
  path: "plugins/certmgr/certificate-authorities",
  label: "certificate authority",
  labelPlural: "certificate authorities",
  table,
  fields: [
    id(),
    text("name", { description: "Name; unique.", required: true, max: 200 }),
    {
      ...choice("type", { description: "Kind of authority.", choices: ["public", "internal", "acme"] }),
      fallback: "public",
    },
    text("description", { description: "What it is for.", max: 1_000 }),
    text("issuer_pattern", {
      description: "Part of the issuer's name, in any case, by which its certificates are known.",
      max: 1_000,
    }),
    webAddress("website_url", "Web site."),
    webAddress("portal_url", "Where certificates are ordered."),
    text("contact_email", {
      description: "Whom to write to.",
      max: 254,
      pattern: { regex: /^[^\s@\0]+@[^\s@\0]+$/, expected: "an e-mail address" },
    }),
    boolean("is_approved", { description: "Whether the organisation approves of it.", fallback: false }),
    expression("certificate_count", {
      description: "Certificates of this authority that the caller may see.",
      output: z.int(),
      sql: ({ alias, ctx }) => {
        const seen = visible(ctx, "certmgr.certificate");
        if (isNothing(seen)) return sql`0`;
        const inner = `${alias}_certificates`;
        const restricted = restrictionSql(ctx, seen, "certmgr.certificate", inner);
        return sql`(SELECT count(*) FROM certificates AS ${sql.identifier(inner)} WHERE ${
          columnOf(inner, "issuing_ca_id")
        } = ${columnOf(alias, "id")}${restricted === undefined ? sql`` : sql` AND ${restricted}`})`;
      },
    }),
    longColumn("pem_content", {
      description:
        "Its own certificate as PEM: makes it a trust anchor, and finds what it issued by its key.",
      maxChars: MAX_PEM_TEXT_BYTES,
    }),
    tagsField(OBJECT_TYPE),
    ...timestamps(),
  ],
  brief: ["name", "type"],
  searchFields: ["name", "description", "issuer_pattern"],
  order: [{ field: "name", descending: false }],
  unique: [{
    columns: ["name"],
    field: "name",
    message: "certificate authority with this name already exists.",
  }],
  prepare: prepareAuthorities,
});

function webAddress(name: string, description: string): Field {
  const field = text(name, { description, max: MAX_ADDRESS_CHARS });
  const input = (field.input as z.ZodType<string>).superRefine((given, context) => {
    const fault = given === "" ? undefined : webUrlFault(given);
    if (fault !== undefined) context.addIssue({ code: "custom", message: fault });
  });
  const address = { type: "string", format: "uri", pattern: "^https?://", maxLength: MAX_ADDRESS_CHARS };
  return { ...field, input: documented(input, { anyOf: [{ const: "" }, address] }) };
}
