/** Certificate authorities: the issuers, and whether the organization approves them. */

import { sql } from "drizzle-orm";
import { z } from "zod";
import { restrictionSql, visible } from "../../auth/mod.ts";
import { MAX_PEM_TEXT_BYTES } from "../../base/limits.ts";
import { certificate_authorities as table } from "../../db/schema/mod.ts";
import { matchesNothing } from "../../filters/mod.ts";
import {
  boolean,
  choice,
  columnOf,
  customFieldsField,
  datetime,
  defineResource,
  expression,
  id,
  longColumn,
  text,
  timestamps,
  unrecorded,
} from "../../resource/mod.ts";
import { commentsField, emailField, markdownField, tagsField, webAddress } from "../inventory/mod.ts";
import { prepareAuthorities } from "./prepare.ts";

const OBJECT_TYPE = "certmgr.certificateauthority";

/** `certmgr.certificateauthority`. */
export const authorities = defineResource({
  objectType: OBJECT_TYPE,
  path: "plugins/certmgr/certificate-authorities",
  page: "authorities",
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
      description: "Text in the issuer's name that identifies its certificates, ignoring case.",
      max: 1_000,
    }),
    webAddress("website_url", "Web site."),
    webAddress("portal_url", "Page on which certificates are ordered."),
    markdownField("instructions", "How certificates are ordered there, in Markdown."),
    markdownField(
      "renewal_note",
      "Instructions for the renewal of its certificates, in Markdown; shown at renewal and sent with expiry notices.",
    ),
    emailField("contact_email", "E-mail address for questions."),
    boolean("is_approved", { description: "Whether the organization approves it.", fallback: false }),
    expression("certificate_count", {
      description: "Number of its certificates that the caller may view.",
      output: z.int(),
      sql: ({ alias, ctx }) => {
        const certificates = ctx.mapOf("certmgr.certificate");
        const seen = visible(ctx, certificates);
        if (matchesNothing(seen)) return sql`0`;
        const inner = `${alias}_certificates`;
        const restricted = restrictionSql(ctx, seen, { map: certificates, alias: inner });
        return sql`(SELECT count(*) FROM certificates AS ${sql.identifier(inner)} WHERE ${
          columnOf(inner, "issuing_ca_id")
        } = ${columnOf(alias, "id")}${restricted === undefined ? sql`` : sql` AND ${restricted}`})`;
      },
    }),
    longColumn("pem_content", {
      description:
        "Its own certificate as PEM: makes it a trust anchor, and identifies the certificates that it issued by key.",
      maxChars: MAX_PEM_TEXT_BYTES,
    }),
    // Not recorded, because it follows from other certificates.
    unrecorded(datetime("valid_to", {
      description:
        "When its certificate expires: the one of its PEM, else the latest one on the paths of its certificates.",
      readOnly: true,
      nullable: true,
      filter: false,
    })),
    commentsField(),
    tagsField(OBJECT_TYPE),
    customFieldsField(OBJECT_TYPE),
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
