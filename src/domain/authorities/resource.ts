/** Certificate authorities: the issuers, and whether the organization approves them. */

import { boundedList } from "../../base/bounded_list.ts";
import { concerns, encoded, finding } from "../../base/findings.ts";
import { webUrlFault } from "../../base/web_url.ts";
import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { restrictionSql, visible } from "../../auth/mod.ts";
import { MAX_PEM_TEXT_BYTES } from "../../base/limits.ts";
import type { Transaction } from "../../db/mod.ts";
import { certificate_authorities as table } from "../../db/schema/mod.ts";
import { matchesNothing } from "../../filters/mod.ts";
import {
  boolean,
  choice,
  columnOf,
  customFieldsField,
  datetime,
  defineResource,
  documented,
  type Draft,
  expectedError,
  expression,
  json,
  longColumn,
  refuse,
  text,
  unrecorded,
  type WriteStep,
} from "../../resource/mod.ts";
import { encodePem, readCertificates } from "../../x509/mod.ts";
import { commentsField, emailField, markdownField, tagsField, webAddress } from "../inventory/mod.ts";

/** Maximum number of authorities below a new one that are considered. */
const MAX_BELOW = 100;
/** Maximum number of chains that are validated at once; the daily evaluation validates the others. */
const MAX_WAITING = 1_000;

/** Chains whose result a new issuer can improve: also valid ones, if none of their authorities is known. */
export const IS_WAITING: SQL =
  sql`(waiting.chain_status IN ('no_chain', 'incomplete') OR waiting.chain_status = 'valid' AND waiting.issuing_ca_id IS NULL)`;

/**
 * Deletes the time of validation of chains below the subjects that match a condition on `waiting`, so that a job
 * validates them within a minute. One statement if there are subjects, otherwise none.
 */
export async function reopenChains(
  tx: Transaction,
  subjects: readonly string[],
  condition: SQL,
): Promise<void> {
  if (subjects.length === 0) return;
  await tx.run(
    sql`WITH RECURSIVE below (name) AS (
        SELECT value FROM json_each(${JSON.stringify(subjects)})
        UNION SELECT ca.subject FROM below CROSS JOIN certificates AS ca INDEXED BY certificates_authorities
          ON ca.issuer = below.name COLLATE NOCASE AND ca.kind = 'ca' AND ca.has_pem = 1
        LIMIT ${MAX_BELOW}
      )
      UPDATE certificates SET chain_validated_at = NULL WHERE id IN (
        SELECT waiting.id FROM below CROSS JOIN certificates AS waiting ON waiting.issuer = below.name COLLATE NOCASE
        WHERE waiting.chain_status IS NOT NULL AND waiting.has_pem = 1 AND ${condition}
        LIMIT ${MAX_WAITING}
      )`,
  );
}

/**
 * Derives columns from the PEM, and has the chains below it validated again: it is an anchor, and their nearest authority
 * unless another one was given. One statement if a PEM is given, otherwise none.
 */
async function prepareAuthorities({ tx, drafts }: WriteStep): Promise<void> {
  for (const draft of drafts) deriveFromPem(draft);
  const subjects = drafts.flatMap(({ row: { subject } }) =>
    typeof subject === "string" && subject !== "" ? [subject] : []
  );
  await reopenChains(
    tx,
    subjects,
    sql`(${IS_WAITING} OR waiting.issuing_ca_id IS NULL OR waiting.issuing_ca_found = 1)`,
  );
}

function deriveFromPem(draft: Draft): void {
  const { input, row } = draft;
  if (!("pem_content" in input)) return;
  Object.assign(row, { subject: null, subject_key_id: null, valid_to: null });
  if (input.pem_content === "" || concerns(draft.errors, "pem_content")) return;
  const { members, findings } = readCertificates(String(input.pem_content));
  for (const { code, message: reason, block, line } of findings) {
    const params = { kind: "certificate", reason, block, line };
    refuse(
      draft,
      "pem_content",
      code === "no_pem" ? finding("no_certificate_pem", { reason }) : finding("pem_unreadable", params),
    );
  }
  const [member] = members;
  if (findings.length > 0 || member === undefined) return;
  if (members.length > 1) {
    refuse(draft, "pem_content", finding("one_certificate", { count: members.length }));
    return;
  }
  const { certificate } = member;
  // Stores only the certificate, without other text in the PEM.
  input.pem_content = encodePem(certificate.der);
  row.subject = certificate.subject.text;
  row.subject_key_id = certificate.subjectKeyId?.toHex() ?? null;
  row.valid_to = certificate.validity.notAfter;
}

const MAX_CRL_URLS = 10;
const crlUrl = documented(
  z.string(expectedError("a URL")).max(2_000).superRefine((given, context) => {
    const fault = webUrlFault(given);
    if (fault !== undefined) context.addIssue({ code: "custom", message: encoded(fault) });
  }),
  { type: "string", format: "uri", pattern: "^https?://", maxLength: 2_000 },
);

const OBJECT_TYPE = "certmgr.certificateauthority";

export const authorities = defineResource({
  objectType: OBJECT_TYPE,
  path: "plugins/certmgr/certificate-authorities",
  page: "authorities",
  label: "certificate authority",
  labelPlural: "certificate authorities",
  table,
  fields: [
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
    json("crl_urls", {
      description: "URLs of its revocation lists, for certificates that name none.",
      schema: boundedList(crlUrl, { max: MAX_CRL_URLS, ...expectedError("a list of URLs") }),
      fallback: [],
    }),
    webAddress(
      "acme_directory_url",
      "URL of its ACME directory, where it says when certificates should be renewed.",
    ),
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
  ],
  brief: ["name", "type"],
  search: { fields: ["name", "description", "issuer_pattern"] },
  unique: ["name"],
  hooks: { prepare: prepareAuthorities },
});
