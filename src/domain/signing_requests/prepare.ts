/** Validates signing requests against their PEM and against duplicates. */

import { getTableName, sql } from "drizzle-orm";
import { visibleSql } from "../../auth/mod.ts";
import type { ObjectRow } from "../../db/mod.ts";
import { certificate_signing_requests as table } from "../../db/schema/mod.ts";
import { MAX_NAME_CHARS } from "../../base/limits.ts";
import { type Draft, plainHex, refuse, REQUIRED, type Values, type WriteStep } from "../../resource/mod.ts";
import { escapeValue, readRequest, requestFields } from "../../x509/mod.ts";
import { divideNames } from "../certificates/mod.ts";
import { contradiction, FIXED_BY_PEM, isSameValue } from "./read_requests.ts";

const OBJECT_TYPE = "certmgr.certificatesigningrequest";

/** Derives fields and validates. One statement if a fingerprint is given. */
export async function prepareRequests(
  step: WriteStep<ObjectRow, Values & { requested_date?: number; sans?: string[] }>,
): Promise<void> {
  for (const draft of step.drafts) {
    requireName(draft);
    keepFixed(draft);
    divideNames(draft, () => {
      const { request } = readRequest(String(draft.input.pem_content ?? ""));
      return request === undefined ? [] : requestFields(request).sans;
    });
    composeSubject(draft);
    const { input, before, row } = draft;
    const issued = input.resulting_certificate;
    if (typeof issued === "number" && issued !== before?.resulting_certificate_id) input.status = "issued";
    if (before === undefined) row.requested_date = input.requested_date ?? step.ctx.clock.now();
  }
  await refuseDuplicates(step);
}

function requireName({ input, before, replaces, errors }: Draft): void {
  if (before !== undefined && !replaces) return;
  if (
    input.common_name === undefined && errors.common_name === undefined && errors.pem_content === undefined
  ) {
    errors.common_name = [REQUIRED];
  }
}

/** The parts of a subject in the order of its text. */
const SUBJECT_PARTS = {
  C: "country",
  ST: "state",
  L: "locality",
  O: "organization",
  OU: "organizational_unit",
  CN: "common_name",
} as const;

function subjectOf(values: Readonly<Values>): string {
  return Object.entries(SUBJECT_PARTS).flatMap(([type, part]) =>
    values[part] ? [`${type}=${escapeValue(String(values[part]))}`] : []
  ).join(", ").slice(0, MAX_NAME_CHARS);
}

/** Composes the subject of a request without PEM from its parts, unless one was given. */
function composeSubject({ input, before }: Draft): void {
  if (input.subject_string || input.pem_content || before?.pem_content) return;
  if (before !== undefined && before.subject_string !== subjectOf(before)) return;
  input.subject_string = subjectOf({ ...before, ...input });
}

/** Refuses changes of fields that the stored PEM determines. */
function keepFixed(draft: Draft): void {
  const { input, before } = draft;
  if (before === undefined || before.pem_content === "" || "pem_content" in input) return;
  for (const name of FIXED_BY_PEM) {
    if (name in input && !isSameValue(name, input[name], before[name])) {
      refuse(draft, name, contradiction(before[name]));
    }
  }
}

/** Refuses requests that already exist (without naming hidden ones) or occur twice in the call. */
async function refuseDuplicates({ ctx, tx, drafts }: WriteStep): Promise<void> {
  const claims = drafts.flatMap((draft) => {
    const given = draft.input.fingerprint_sha256;
    if (typeof given !== "string" || given === "") return [];
    const field = draft.input.spki_sha256 ? "pem_content" : "fingerprint_sha256";
    return [{ draft, field, hex: plainHex(given, { number: false }) }];
  });
  if (claims.length === 0) return;
  const first = new Map<string, number>();
  for (const { draft, field, hex } of claims) {
    const earlier = first.get(hex);
    if (earlier === undefined) first.set(hex, drafts.indexOf(draft));
    else refuse(draft, field, `Duplicate of item ${earlier} in this batch.`);
  }
  const alias = getTableName(table);
  const map = ctx.mapOf(OBJECT_TYPE);
  const seen = visibleSql(ctx, map, alias) ?? sql`1`;
  const rows = await tx.all<{ place: number; id: number; common_name: string; seen: number }>(
    sql`SELECT claimed.key AS place, ${table}.id AS id, common_name, (${seen}) IS TRUE AS seen
        FROM json_each(${JSON.stringify(claims.map((claim) => claim.hex))}) AS claimed
        CROSS JOIN ${table} ON fingerprint_hex = claimed.value`,
  );
  for (const { place, id, common_name, seen } of rows) {
    const { draft, field } = claims[place] ?? {};
    if (draft === undefined || field === undefined || id === draft.id) continue;
    const named = seen === 1 ? `: ${common_name} (ID: ${id})` : "";
    refuse(draft, field, `Certificate signing request already exists${named}.`);
  }
}
