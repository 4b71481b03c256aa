/**
 * Renews certificates, alone or during an import: the successor takes over the assignments and contacts of the old one,
 * which becomes `replaced`.
 */

import { sql } from "drizzle-orm";
import { z } from "zod";
import { authorize, type Context, visible } from "../../../auth/mod.ts";
import { addError, AppError, type FieldErrors, invalid, notFound } from "../../../base/errors.ts";
import type { Row } from "../../../db/mod.ts";
import { inSlices } from "../../../base/pace.ts";
import { and, EVERYTHING } from "../../../filters/mod.ts";
import { objectBody, objectId, operation, shown } from "../../../operation/mod.ts";
import {
  ALL_FIELDS,
  anyErrors,
  documented,
  type Draft,
  fullList,
  inputSchema,
  loadForChange,
  plainHex,
  quote,
  refusingPrivateKeys,
  rowReader,
  storeDrafts,
  validateDrafts,
  type WriteCall,
} from "../../../resource/mod.ts";
import { certificates, noSharedName, shareName } from "../mod.ts";
import {
  authorizeImport,
  type ImportReport,
  type PemItem,
  readSeparately,
  storePem,
  storeSeparately,
} from "../import/mod.ts";
import { COPYABLE, copyContacts, copyIfEmpty } from "./copy_to_successor.ts";
import { moveAssignments } from "./move_assignments.ts";

const RenewInput = objectBody({
  certificate: objectId().optional().describe("Id of the successor; either this or `pem_content`."),
  pem_content: (inputSchema(certificates, "pem_content") as z.ZodType<string>).optional().describe(
    "The successor as PEM, followed by its chain.",
  ),
  private_key_location: (inputSchema(certificates, "private_key_location") as z.ZodType<string>).optional()
    .describe(
      "`private_key_location` of a successor that is given as PEM.",
    ),
  copy_if_empty: z.array(z.enum(COPYABLE)).default([]).describe(
    "Fields to copy from the certificate to its successor if they are empty there. To change an existing successor, the " +
      "caller needs `change` on it.",
  ),
  dry_run: z.boolean().default(false).describe("Return the result without storing anything."),
});
type RenewInput = z.infer<typeof RenewInput>;

const Renewal = z.object({
  old: shown(certificates),
  new: shown(certificates),
  assignments_moved: z.int(),
});
type Renewal = z.infer<typeof Renewal>;

const Previewed = documented(z.custom<Record<string, unknown>>(), {
  type: "object",
  description:
    "The certificate after the renewal; a successor that is not stored yet has no `id` and no `url`.",
});

const RenewalPreview = z.object({
  old: Previewed,
  new: Previewed,
  assignments_moved: z.int(),
  dry_run: z.literal(true).describe("Nothing was stored."),
});
type RenewalPreview = z.infer<typeof RenewalPreview>;

/**
 * Renews a certificate in one transaction. Errors: forbidden, not_found, conflict (it already has a
 * successor), invalid (no successor, another tenant, no common name, no later expiry).
 */
export const renewCertificate = operation({
  needs: [["renew", certificates], ["change", certificates]],
  input: RenewInput,
  output: z.union([Renewal, RenewalPreview]),
  run: async ({ ctx, id, input, allowed }) => {
    requireOneSuccessor(input);
    const preview: { renewal?: Renewal } = {};
    try {
      const renewal = await ctx.database.write(async (tx) => {
        const call = { ctx, tx, resource: certificates, allowed: allowed(certificates) };
        const done = await renewIn(call, id, input);
        if (!input.dry_run) return done;
        preview.renewal = done;
        throw preview;
      });
      certificates.afterCommit?.(ctx);
      return renewal;
    } catch (thrown) {
      if (thrown !== preview || preview.renewal === undefined) throw thrown;
      return previewOf(preview.renewal, input);
    }
  },
});

/** A text with certificates, of which some renew existing ones. */
export interface RenewingInput extends PemItem {
  readonly chain_only?: readonly string[];
  /** Ids of the certificates to renew, by the SHA-256 fingerprint of the successor. */
  readonly renew: ReadonlyMap<string, number>;
}

/** The report of the certificates that were imported separately, and the ids of the successors. */
export interface RenewingReport extends ImportReport {
  readonly renewed: readonly number[];
}

/**
 * Imports each certificate of a text, as `importPem` does with `split`; those of `renew` as successors of existing ones,
 * from which they get tenant, tags, description and, unless it is given, the key location. All or nothing. Errors: those
 * of `importPem` and of `renewCertificate`.
 */
export async function importRenewing(
  { ctx, input: { renew, chain_only, ...given } }: { ctx: Context; input: RenewingInput },
): Promise<RenewingReport> {
  const allowed = authorizeImport(ctx);
  const renewing = and(authorize(ctx, "renew", certificates.map), authorize(ctx, "change", certificates.map));
  const errors: FieldErrors = {};
  await inSlices(refusingPrivateKeys({ ...given }, errors));
  if (Object.keys(errors).length > 0) throw invalid(errors);
  const rows = await readSeparately(given, chain_only);
  const successors = [...renew].map(([fingerprint, id]) => {
    const plain = plainHex(fingerprint, { number: false });
    const row = rows.find(({ certificate }) => certificate?.fingerprintSha256 === plain);
    if (row !== undefined) return { id, row };
    throw invalid({
      pem_content: [`The text has no certificate with the fingerprint ${quote(fingerprint)}.`],
    });
  });
  const others = rows.filter((one) =>
    !successors.some(({ row }) => row.certificate?.fingerprintSha256 === one.certificate?.fingerprintSha256)
  );
  const report = await ctx.database.write(async (tx) => {
    const renewed: number[] = [];
    for (const { id, row: { body } } of successors) {
      const renewal = await renewIn({ ctx, tx, resource: certificates, allowed: renewing }, id, {
        pem_content: `${body.pem_content}${body.issuer_chain}`,
        ...(given.private_key_location === undefined
          ? {}
          : { private_key_location: given.private_key_location as string }),
        copy_if_empty: ["description", "private_key_location"],
        dry_run: false,
      });
      renewed.push(renewal.new.id as number);
    }
    const imported = await storeSeparately({ ctx, tx, resource: certificates, allowed }, others);
    return { ...imported, renewed };
  });
  certificates.afterCommit?.(ctx);
  return report;
}

function requireOneSuccessor({ certificate, pem_content }: RenewInput): void {
  if ((certificate === undefined) !== (pem_content === undefined)) return;
  throw invalid({ __all__: ["Expected either certificate (the id of the successor) or pem_content."] });
}

/** Returns the result of a dry run, without the id and URL of a successor that was not stored. */
function previewOf({ old, new: successor, ...rest }: Renewal, { certificate }: RenewInput): RenewalPreview {
  if (certificate !== undefined) return { old, new: successor, ...rest, dry_run: true };
  const replacedBy = old.replaced_by as Record<string, unknown> | null;
  return {
    old: { ...old, replaced_by: replacedBy === null ? null : unstored(replacedBy) },
    new: unstored(successor),
    ...rest,
    dry_run: true,
  };
}

function unstored(object: Record<string, unknown>): Record<string, unknown> {
  return { ...object, id: null, url: null };
}

async function renewIn(call: WriteCall, id: number, input: RenewInput): Promise<Renewal> {
  const old = (await loadForChange(call, [id])).get(id);
  if (old === undefined) throw notFound();
  if (old.replaced_by_id !== null) throw await alreadyReplaced(call, old.replaced_by_id as number);
  const successor = input.certificate === undefined
    ? await createSuccessor(call, old, input)
    : await takeSuccessor(call, input.certificate);
  checkSuccessor(old, successor, input.certificate === undefined ? "pem_content" : "certificate");
  if (input.certificate !== undefined) {
    await copyIfEmpty(call, { old, successor, fields: input.copy_if_empty });
  }
  const moved = await moveAssignments(call, { from: id, to: successor.id as number });
  await copyContacts(call, { from: id, to: successor.id as number });
  const draft: Draft = {
    id,
    before: old,
    input: {},
    row: { status: "replaced", replaced_by_id: successor.id as number },
    errors: {},
    reveal: {},
  };
  await validateDrafts(call, [draft]);
  if (anyErrors([draft])) throw refusalOf(draft.errors, input);
  const [changed] = await storeDrafts(call, [draft]);
  return {
    old: changed as Record<string, unknown>,
    new: await readSuccessor(call, successor.id as number),
    assignments_moved: moved,
  };
}

/** Moves errors about `replaced_by` to the field with which the caller gave the successor. */
function refusalOf({ replaced_by, ...errors }: FieldErrors, { certificate }: RenewInput): AppError {
  const field = certificate === undefined ? "pem_content" : "certificate";
  return invalid(replaced_by === undefined ? errors : { ...errors, [field]: replaced_by });
}

/** Returns the error, which names the successor if the caller may view it. */
async function alreadyReplaced(call: WriteCall, successorId: number): Promise<AppError> {
  const allowed = visible(call.ctx, certificates.map);
  const successor = await loadSuccessor({ ...call, allowed }, successorId);
  const named = successor === undefined
    ? "."
    : ` by ${successor.common_name} (ID: ${successorId}). Renew that one instead.`;
  return new AppError("conflict", `The certificate is already replaced${named}`);
}

/** Creates the successor from PEM, with the tenant, tags, renewal note and expiry notices of the old one. */
async function createSuccessor(call: WriteCall, old: Row, input: RenewInput): Promise<Row> {
  const { private_key_location, copy_if_empty: copied } = input;
  const texts = (["private_key_location", "description"] as const).filter((name) =>
    copied.includes(name) && (name === "description" || private_key_location === undefined)
  );
  const id = await storePem(call, {
    pem: input.pem_content as string,
    extra: private_key_location === undefined ? {} : { private_key_location },
    inherited: {
      row: {
        tenant_id: old.tenant_id ?? null,
        expiry_notices: old.expiry_notices ?? null,
        renewal_note: old.renewal_note as string,
        ...Object.fromEntries(texts.map((name) => [name, old[name] as string])),
      },
      input: { tags: old.tags_ids as unknown as number[] },
    },
  });
  return await loadSuccessor({ ...call, allowed: EVERYTHING }, id) as Row;
}

async function takeSuccessor(call: WriteCall, id: number): Promise<Row> {
  const seen = visible(call.ctx, certificates.map);
  const row = await loadSuccessor({ ...call, allowed: seen }, id);
  if (row !== undefined) return row;
  throw invalid({ certificate: [`Related object not found using the provided numeric ID: ${id}.`] });
}

async function loadSuccessor(call: WriteCall, id: number): Promise<Row | undefined> {
  return (await loadForChange(call, [id])).get(id);
}

function checkSuccessor(old: Row, successor: Row, field: string): void {
  const errors: FieldErrors = {};
  if (successor.id === old.id) addError(errors, field, "A certificate cannot replace itself.");
  else {
    if (successor.tenant_id !== old.tenant_id) {
      addError(errors, field, "The successor belongs to another tenant.");
    }
    if (!shareName(old, successor)) {
      addError(errors, field, noSharedName(old, successor));
    }
    if ((successor.valid_to as number) <= (old.valid_to as number)) {
      addError(errors, field, "The successor does not expire later than the certificate.");
    }
  }
  if (Object.keys(errors).length > 0) throw invalid(errors);
}

/** Reads the successor again, with its new count of assignments. */
async function readSuccessor({ ctx, tx }: WriteCall, id: number): Promise<Record<string, unknown>> {
  const packed = fullList(certificates, ctx);
  const rows = await tx.all<Row>(sql`SELECT ${packed.list} FROM certificates WHERE certificates.id = ${id}`);
  return rowReader(certificates, ALL_FIELDS, ctx)(packed.unpack(rows)[0] as Row);
}
