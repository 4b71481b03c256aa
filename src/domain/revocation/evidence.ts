/** The evidence of revocation checks, and the lists that were read. Read-only; only checks write them. */

import { revocation_checks as checkTable, revocation_lists as listTable } from "../../db/schema/mod.ts";
import {
  choice,
  datetime,
  defineResource,
  integer,
  type Out,
  reference,
  type Resource,
  text,
} from "../../resource/mod.ts";
import { REVOCATION_REASONS } from "../../x509/mod.ts";
import { certificates } from "../certificates/mod.ts";

const readOnly = true;

/** Where an answer comes from. */
export const SOURCES = ["crl", "ocsp", "stapled"] as const;
/** What an answer says; `unavailable` if there was none that could be used. */
export const ANSWERS = ["good", "revoked", "unknown", "unavailable"] as const;

/**
 * `certmgr.revocationcheck`: the newest answer of each source about a certificate. Users who may view a certificate may
 * also view its evidence.
 */
export const revocationChecks = defineResource({
  objectType: "certmgr.revocationcheck",
  path: "plugins/certmgr/revocation-checks",
  label: "revocation check",
  table: checkTable,
  fields: [
    reference("certificate", {
      description: "The certificate.",
      target: (): Resource => certificates,
      keys: [],
      nullable: false,
      readOnly,
      onDelete: "drop",
    }),
    choice("source", {
      description:
        "`crl`: a revocation list; `ocsp`: a responder; `stapled`: a response that an endpoint sent.",
      choices: SOURCES,
      readOnly,
    }),
    text("source_url", { description: "Where the answer is from; empty for stapled ones.", readOnly }),
    choice("status", {
      description: "What the answer says; `unavailable` without an answer that can be used.",
      choices: ANSWERS,
      readOnly,
    }),
    choice("reason", {
      description: "Why it was revoked, in the words of RFC 5280; empty if it was not.",
      choices: ["", ...REVOCATION_REASONS],
      readOnly,
      fallback: "",
    }),
    datetime("revoked_at", { description: "When it was revoked.", readOnly, nullable: true }),
    datetime("this_update", { description: "When the answer was made.", readOnly, nullable: true }),
    datetime("next_update", { description: "Until when the answer counts.", readOnly, nullable: true }),
    text("signer", { description: "Subject of the certificate that signed the answer.", readOnly }),
    text("response_sha256", {
      description: "SHA-256 over the bytes of the answer, 64 lower-case digits; empty without one.",
      readOnly,
    }),
    text("message", { description: "The answer, or why it cannot be used, in a sentence.", readOnly }),
    datetime("checked_at", { description: "Time of the check.", readOnly }),
  ],
  brief: ["source", "status", "checked_at"],
  displayNeeds: ["source", "status"],
  display: (row) => `${row.source}: ${row.status}`,
  search: { fields: ["source_url", "signer", "message"] },
  methods: { collection: ["GET"], item: ["GET"] },
  order: [{ field: "id", descending: true }],
  within: "certificate",
  untracked: true,
});

/** `certmgr.revocationlist`: the revocation lists that were requested, one for each URL. */
export const revocationLists = defineResource({
  objectType: "certmgr.revocationlist",
  path: "plugins/certmgr/revocation-lists",
  label: "revocation list",
  table: listTable,
  fields: [
    text("source_url", { description: "Where it is.", readOnly }),
    text("issuer", { description: "The name of its issuer; empty if it was never read.", readOnly }),
    text("crl_number", { description: "Its number, in hexadecimal digits.", readOnly }),
    datetime("this_update", { description: "When it was issued.", readOnly, nullable: true }),
    datetime("next_update", { description: "Until when it counts.", readOnly, nullable: true }),
    integer("entries", { description: "Number of revoked certificates.", readOnly, nullable: true }),
    integer("bytes", { description: "Its size.", readOnly, nullable: true }),
    datetime("fetched_at", { description: "Time of the last request.", readOnly }),
    text("error", {
      description: "Why the last request failed, in a sentence; empty if it did not.",
      readOnly,
    }),
  ],
  brief: ["source_url", "fetched_at"],
  displayNeeds: ["source_url"],
  display: ({ source_url }) => source_url,
  search: { fields: ["source_url", "issuer"] },
  methods: { collection: ["GET"], item: ["GET"] },
  order: [{ field: "id", descending: true }],
  untracked: true,
});

export type RevocationCheck = Out<typeof revocationChecks>;
