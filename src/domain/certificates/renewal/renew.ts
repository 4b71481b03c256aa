/**
 * Renews certificates, alone or during an import: the successor takes over the assignments and contacts of the old one,
 * which becomes `replaced`.
 */

import { ALL_FIELDS, type Finding } from "../../../base/findings.ts";
import { z } from "zod";
import { authorize, type Context, nameable } from "../../../auth/mod.ts";
import { invalid, invalidField, notFound } from "../../../base/errors.ts";
import { inSlices } from "../../../base/pace.ts";
import { and } from "../../../filters/mod.ts";
import { objectBody, objectId, operation, shown } from "../../../operation/mod.ts";
import {
  answerOf,
  documented,
  inputSchema,
  loadForChange,
  plainHex,
  quote,
  readAnswer,
  refusingPrivateKeys,
} from "../../../resource/mod.ts";
import {
  authorizeImport,
  type ImportReport,
  type ImportRow,
  type PemItem,
  readPemItem,
  readPemItems,
  storeSeparately,
} from "../import/mod.ts";
import {
  type Certificate,
  type CertificateCall,
  type CertificateRow,
  certificates,
  type RenewalWarning,
  REPLACEMENT_REASONS,
} from "../mod.ts";
import { checkSuccessor, createSuccessors, loadRenewing, replaceAll } from "./succession.ts";

const RenewInput = objectBody({
  certificate: objectId().optional().describe("Id of the successor; either this or `pem_content`."),
  pem_content: (inputSchema(certificates, "pem_content") as z.ZodType<string>).optional().describe(
    "The successor as PEM, followed by its chain.",
  ),
  private_key_location: (inputSchema(certificates, "private_key_location") as z.ZodType<string>).optional()
    .describe(
      "`private_key_location` of a successor that is given as PEM.",
    ),
  reason: z.enum(REPLACEMENT_REASONS).default("renewal").describe("Why; stored as its `replacement_reason`."),
  dry_run: z.boolean().default(false).describe("Return the result without storing anything."),
});
type RenewInput = z.infer<typeof RenewInput>;

const Warnings = documented(z.custom<readonly RenewalWarning[]>(), {
  type: "array",
  items: { type: "object", properties: { code: { type: "string" } }, required: ["code"] },
  description:
    "What to know about the successor: `earlier_expiry` with the number of `days`, `expired`, `self_signed`, " +
    "`weaker_key`, `no_chain`, `invalid_chain` with its `status` and `message` (that of the old one is valid), " +
    "`in_incident` with the open `incident` that demands its replacement, too, `same_key`, `shorter_life`, " +
    "`other_issuer`.",
});

const Renewal = z.object({
  old: shown(certificates),
  new: shown(certificates),
  assignments_moved: z.int(),
  requests_issued: z.int().describe("Number of signing requests for this renewal that are issued by it."),
  warnings: Warnings,
});

interface Previewed extends Partial<Omit<Certificate, "id" | "url">> {
  readonly id: number | null;
  readonly url: string | null;
}

const Previewed = documented(z.custom<Previewed>(), {
  type: "object",
  description:
    "The certificate after the renewal; a successor that is not stored yet has no `id` and no `url`.",
});

const RenewalPreview = z.object({
  old: Previewed,
  new: Previewed,
  assignments_moved: z.int(),
  requests_issued: z.int(),
  warnings: Warnings,
  dry_run: z.literal(true).describe("Nothing was stored."),
});

/** The results before the certificates are compared, which needs no transaction. */
type Done = Omit<z.infer<typeof Renewal>, "warnings">;
type Planned = Omit<z.infer<typeof RenewalPreview>, "warnings">;

/**
 * Renews a certificate in one transaction. Errors: forbidden, not_found, conflict (it already has a
 * successor), invalid (no successor, another tenant, no name in common, an expired successor).
 */
export const renewCertificate = operation({
  needs: [["renew", certificates], ["change", certificates]],
  input: RenewInput,
  output: z.union([Renewal, RenewalPreview]),
  run: async ({ ctx, id, input, allowed }) => {
    requireOneSuccessor(input);
    const preview: { renewal?: Done } = {};
    try {
      const renewal = await ctx.database.write(async (tx) => {
        const call = { ctx, tx, resource: certificates, allowed: allowed(certificates) };
        const done = await renewIn(call, id, input);
        if (!input.dry_run) return done;
        preview.renewal = done;
        throw preview;
      });
      certificates.hooks?.afterCommit?.(ctx);
      return { ...renewal, warnings: await warningsOf(ctx, renewal) };
    } catch (thrown) {
      if (thrown !== preview || preview.renewal === undefined) throw thrown;
      const shown = previewOf(preview.renewal, input);
      return { ...shown, warnings: await warningsOf(ctx, shown) };
    }
  },
});

function requireOneSuccessor({ certificate, pem_content }: RenewInput): void {
  if ((certificate === undefined) !== (pem_content === undefined)) return;
  throw invalidField(ALL_FIELDS, "unexpected", {
    expected: "either certificate (the id of the successor) or pem_content",
  });
}

/** Returns the warnings about a renewal: none if a field is hidden, which they would show. */
async function warningsOf(ctx: Context, { old, new: successor }: Done | Planned): Promise<RenewalWarning[]> {
  if (![old, successor].every((side) => "issuer" in side)) return [];
  const { compareRenewal } = await import("./compare.ts");
  return await compareRenewal(ctx, { old, new: successor });
}

/** Returns the result of a dry run, without the id and URL of a successor that was not stored. */
function previewOf({ old, new: successor, ...rest }: Done, { certificate }: RenewInput): Planned {
  if (certificate !== undefined) return { old, new: successor, ...rest, dry_run: true };
  const { replaced_by: replacedBy = null } = old;
  return {
    old: { ...old, replaced_by: replacedBy === null ? null : unstored(replacedBy) },
    new: unstored(successor),
    ...rest,
    dry_run: true,
  };
}

function unstored<Of>(object: Of): Of & { readonly id: null; readonly url: null } {
  return { ...object, id: null, url: null };
}

async function renewIn(call: CertificateCall, id: number, input: RenewInput): Promise<Done> {
  const [old] = await loadRenewing(call, [id]);
  if (old === undefined) throw notFound();
  const { certificate } = input;
  const field = certificate === undefined ? "pem_content" : "certificate";
  const successor = certificate === undefined
    ? await createSuccessor(call, old, input)
    : await takeSuccessor(call, certificate);
  checkSuccessor({ old, successor }, { field, now: call.ctx.clock.now() });
  const { replaced: [changed], moved, issued } = await replaceAll(call, [{ old, successor }], {
    field,
    reason: input.reason,
  });
  if (changed === undefined) throw notFound();
  const sides = {
    old: answerOf(call.ctx, certificates, changed),
    new: await readAnswer({ ...call, reader: call.tx }, successor.id),
  };
  return { ...sides, assignments_moved: moved, requests_issued: issued };
}

/** Creates the successor from PEM. */
async function createSuccessor(
  call: CertificateCall,
  old: CertificateRow,
  input: RenewInput,
): Promise<CertificateRow> {
  const { pem_content, private_key_location } = input;
  const given = {
    pem_content: pem_content ?? "",
    ...(private_key_location === undefined ? {} : { private_key_location }),
  };
  const row = await inSlices(readPemItem(given, 0));
  const [successor] = await createSuccessors(call, [{ old, row }]);
  if (successor === undefined) throw notFound();
  return successor;
}

async function takeSuccessor(call: CertificateCall, id: number): Promise<CertificateRow> {
  const seen = nameable(call.ctx, certificates.map);
  const row = (await loadForChange({ ...call, allowed: seen }, [id])).get(id);
  if (row !== undefined) return row;
  throw invalidField("certificate", "related_not_found", { id });
}

/** A text with certificates, of which some renew existing ones. */
interface RenewingInput extends PemItem {
  /** Ids of the certificates to renew, by the SHA-256 fingerprint of the successor. */
  readonly renew: ReadonlyMap<string, number>;
  readonly reason?: RenewInput["reason"];
}

/** The report of the certificates that were imported separately, and the ids of the successors. */
interface RenewingReport extends ImportReport {
  readonly renewed: readonly number[];
}

/**
 * Imports each certificate of a text, as `importPem` does with `split`; those of `renew` as successors of existing ones,
 * from which they get what {@link createSuccessors} says. All or nothing. Errors: those of `importPem` and of
 * `renewCertificate`.
 */
export async function importRenewing(
  { ctx, input: { renew, reason = "renewal", ...given } }: { ctx: Context; input: RenewingInput },
): Promise<RenewingReport> {
  const allowed = authorizeImport(ctx);
  const renewing = and(authorize(ctx, "renew", certificates.map), authorize(ctx, "change", certificates.map));
  const errors: Finding[] = [];
  await inSlices(refusingPrivateKeys({ ...given }, errors));
  if (errors.length > 0) throw invalid(errors);
  const rows = await inSlices(readPemItems(given));
  const successors = successorsIn(rows, renew);
  const prints = new Set(successors.map(({ certificate }) => certificate?.fingerprintSha256));
  const others = rows.filter(({ certificate }) => !prints.has(certificate?.fingerprintSha256));
  const { private_key_location: location } = given;
  const report = await ctx.database.write(async (tx) => {
    const call = { ctx, tx, resource: certificates, allowed: renewing };
    const old = await loadRenewing(call, [...renew.values()]);
    const created = await createSuccessors(
      call,
      old.flatMap((row, index) => {
        const successor = successors[index];
        return successor === undefined ? [] : [{ old: row, row: withoutOwn(successor, location) }];
      }),
    );
    const renewed = old.flatMap((row, index) => {
      const successor = created[index];
      return successor === undefined ? [] : [{ old: row, successor }];
    });
    for (const one of renewed) checkSuccessor(one, { field: "pem_content", now: ctx.clock.now() });
    await replaceAll(call, renewed, { field: "pem_content", reason });
    const imported = await storeSeparately({ ...call, allowed }, others);
    return { ...imported, renewed: created.map(({ id }) => id) };
  });
  certificates.hooks?.afterCommit?.(ctx);
  return report;
}

/** Returns the rows of the successors, in the order of `renew`. Errors: invalid (one is missing or repeated). */
function successorsIn(rows: readonly ImportRow[], renew: RenewingInput["renew"]): ImportRow[] {
  const byPrint = new Map(rows.map((row) => [row.certificate?.fingerprintSha256, row]));
  const found = new Set<ImportRow>();
  const ids = new Set<number>();
  for (const [fingerprint, id] of renew) {
    const row = byPrint.get(plainHex(fingerprint, { number: false }));
    if (row === undefined) {
      throw invalidField("pem_content", "no_certificate_has", { value: quote(fingerprint) });
    }
    if (found.has(row) || ids.has(id)) {
      throw invalidField("pem_content", "renewed_twice", { value: quote(fingerprint), id });
    }
    found.add(row);
    ids.add(id);
  }
  return [...found];
}

/** Returns a row without the fields that the successor gets from the old certificate. */
function withoutOwn(row: ImportRow, location: unknown): ImportRow {
  const { pem_content, issuer_chain } = row.body;
  const given = location === undefined ? {} : { private_key_location: location };
  return { ...row, body: { pem_content, issuer_chain, ...given } };
}
