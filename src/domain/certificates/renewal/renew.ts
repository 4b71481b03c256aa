/** Renews a certificate: its successor takes over its assignments, and it becomes `replaced`. */

import { sql } from "drizzle-orm";
import { authorize, type Context, visible } from "../../../auth/mod.ts";
import { addError, AppError, type FieldErrors, invalid, notFound } from "../../../base/errors.ts";
import type { Row } from "../../../db/mod.ts";
import { and, EVERYTHING } from "../../../filters/mod.ts";
import {
  ALL_FIELDS,
  anyErrors,
  type Draft,
  fullList,
  loadForChange,
  quote,
  refusePrivateKeys,
  rowReader,
  storeDrafts,
  validateDrafts,
  type WriteCall,
} from "../../../resource/mod.ts";
import { certificates } from "../mod.ts";
import { storePem } from "../import/mod.ts";
import { moveAssignments } from "./move_assignments.ts";
import { shareName } from "./names.ts";

/** What a renewal did, or (dry run) would do. */
export interface Renewal {
  old: Record<string, unknown>;
  new: Record<string, unknown>;
  assignments_moved: number;
  /** Present when nothing was stored; a successor that would be created has no id then. */
  dry_run?: true;
}

interface RenewInput {
  /** Id of the successor, when it is there already. */
  readonly certificate?: number;
  readonly pem_content?: string;
  readonly private_key_location?: string;
  readonly dryRun: boolean;
}

/**
 * `{certificate: <id>}` or `{pem_content, private_key_location?}`, and `dry_run`. One transaction.
 * Errors: forbidden, not_found, conflict (it has a successor already), invalid (no successor, another tenant, no name in
 * common, no later end).
 */
export async function renewCertificate(
  { ctx, id, input }: { ctx: Context; id: number; input: unknown },
): Promise<Renewal> {
  const { objectType } = certificates;
  const allowed = and(authorize(ctx, "renew", objectType), authorize(ctx, "change", objectType));
  const read = readInput(input);
  const preview: { renewal?: Renewal } = {};
  try {
    const renewal = await ctx.database.write(async (tx) => {
      const done = await renewIn({ ctx, tx, resource: certificates, allowed }, id, read);
      if (!read.dryRun) return done;
      preview.renewal = done;
      throw preview;
    });
    certificates.afterCommit?.(ctx);
    return renewal;
  } catch (thrown) {
    if (thrown !== preview || preview.renewal === undefined) throw thrown;
    return previewOf(preview.renewal, read);
  }
}

/** What was rolled back: a successor that was only imagined has neither id nor address, wherever it is shown. */
function previewOf({ old, new: successor, ...rest }: Renewal, { certificate }: RenewInput): Renewal {
  if (certificate !== undefined) return { old, new: successor, ...rest, dry_run: true };
  const replacedBy = old.replaced_by as Record<string, unknown> | null;
  return {
    old: { ...old, replaced_by: replacedBy === null ? null : imagined(replacedBy) },
    new: imagined(successor),
    ...rest,
    dry_run: true,
  };
}

function imagined(object: Record<string, unknown>): Record<string, unknown> {
  return { ...object, id: null, url: null };
}

async function renewIn(call: WriteCall, id: number, input: RenewInput): Promise<Renewal> {
  const old = (await loadForChange(call, [id])).get(id);
  if (old === undefined) throw notFound();
  if (old.replaced_by_id !== null) throw await alreadyReplaced(call, old.replaced_by_id as number);
  const successor = input.certificate === undefined
    ? await createSuccessor(call, old, input)
    : await takeSuccessor(call, input.certificate);
  judgeSuccessor(old, successor, input.certificate === undefined ? "pem_content" : "certificate");
  const moved = await moveAssignments(call, { from: id, to: successor.id as number });
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

/** Findings about `replaced_by` under the name that the caller gave the successor by. */
function refusalOf({ replaced_by, ...errors }: FieldErrors, { certificate }: RenewInput): AppError {
  const field = certificate === undefined ? "pem_content" : "certificate";
  return invalid(replaced_by === undefined ? errors : { ...errors, [field]: replaced_by });
}

/** Names the successor where the caller may see it. */
async function alreadyReplaced(call: WriteCall, successorId: number): Promise<AppError> {
  const allowed = visible(call.ctx, certificates.objectType);
  const successor = await loadSuccessor({ ...call, allowed }, successorId);
  const named = successor === undefined
    ? "."
    : ` by ${successor.common_name} (ID: ${successorId}). Renew that one instead.`;
  return new AppError("conflict", `The certificate is already replaced${named}`);
}

/** The successor of a PEM text belongs to the tenant of the old one, carries its tags, and is announced as it was. */
async function createSuccessor(call: WriteCall, old: Row, input: RenewInput): Promise<Row> {
  const { private_key_location } = input;
  const id = await storePem(call, {
    pem: input.pem_content as string,
    extra: private_key_location === undefined ? {} : { private_key_location },
    inherited: {
      row: { tenant_id: old.tenant_id ?? null, expiry_notices: old.expiry_notices ?? null },
      input: { tags: old.tags_ids as unknown as number[] },
    },
  });
  return await loadSuccessor({ ...call, allowed: EVERYTHING }, id) as Row;
}

async function takeSuccessor(call: WriteCall, id: number): Promise<Row> {
  const seen = visible(call.ctx, certificates.objectType);
  const row = await loadSuccessor({ ...call, allowed: seen }, id);
  if (row !== undefined) return row;
  throw invalid({ certificate: [`Related object not found using the provided numeric ID: ${id}.`] });
}

async function loadSuccessor(call: WriteCall, id: number): Promise<Row | undefined> {
  return (await loadForChange(call, [id])).get(id);
}

function judgeSuccessor(old: Row, successor: Row, field: string): void {
  const errors: FieldErrors = {};
  if (successor.id === old.id) addError(errors, field, "A certificate cannot replace itself.");
  else {
    if (successor.tenant_id !== old.tenant_id) {
      addError(errors, field, "The successor belongs to another tenant.");
    }
    if (!shareName(old, successor)) {
      addError(errors, field, "The successor has no name in common with the certificate.");
    }
    if ((successor.valid_to as number) <= (old.valid_to as number)) {
      addError(errors, field, "The successor does not expire later than the certificate.");
    }
  }
  if (Object.keys(errors).length > 0) throw invalid(errors);
}

/** The successor as the caller sees it, assignments counted anew. */
async function readSuccessor({ ctx, tx }: WriteCall, id: number): Promise<Record<string, unknown>> {
  const packed = fullList(certificates, ctx);
  const rows = await tx.all<Row>(sql`SELECT ${packed.list} FROM certificates WHERE certificates.id = ${id}`);
  return rowReader(certificates, ALL_FIELDS, ctx)(packed.unpack(rows)[0] as Row);
}

function readInput(input: unknown): RenewInput {
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    throw new AppError("invalid", `Expected an object with certificate or pem_content, not ${quote(input)}.`);
  }
  const given = input as Record<string, unknown>;
  const errors: FieldErrors = {};
  refusePrivateKeys(given, errors);
  const { certificate, pem_content, private_key_location, dry_run } = given;
  if ((certificate === undefined) === (pem_content === undefined)) {
    addError(errors, "__all__", "Expected either certificate (the id of the successor) or pem_content.");
  }
  if (certificate !== undefined && !Number.isSafeInteger(certificate)) {
    addError(errors, "certificate", `Expected an id, not ${quote(certificate)}.`);
  }
  for (const [name, value] of Object.entries({ pem_content, private_key_location })) {
    if (value !== undefined && typeof value !== "string" && errors[name] === undefined) {
      addError(errors, name, `Expected text, not ${quote(value)}.`);
    }
  }
  if (dry_run !== undefined && typeof dry_run !== "boolean") {
    addError(errors, "dry_run", `Expected true or false, not ${quote(dry_run)}.`);
  }
  if (Object.keys(errors).length > 0) throw invalid(errors);
  return {
    dryRun: dry_run === true,
    ...(certificate === undefined ? {} : { certificate: certificate as number }),
    ...(pem_content === undefined ? {} : { pem_content: pem_content as string }),
    ...(private_key_location === undefined ? {} : { private_key_location: private_key_location as string }),
  };
}
