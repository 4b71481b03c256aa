/** Imports PEM text: one certificate with its chain, or every certificate as a record of its own. */

import { z } from "zod";
import type { Context } from "../../access/mod.ts";
import { addError, AppError, type FieldErrors, invalid } from "../../base/errors.ts";
import type { Lookup } from "../../lookup/mod.ts";
import {
  boolean,
  issueMessages,
  quote,
  refusePrivateKeys,
  REQUIRED,
  type WriteCall,
} from "../../resource/mod.ts";
import { type Certificate, readCertificates } from "../../x509/mod.ts";
import { certificates, unreadable } from "../certificates/mod.ts";
import { authorizeImport } from "./authorize_import.ts";
import { bySubject, issuersOf, memberOf } from "./members.ts";
import {
  type ImportItem,
  type ImportOutcome,
  type Inherited,
  type Skipped,
  storeMembers,
} from "./store_members.ts";

/** What is given: `tenant` and `tags` as for a certificate; `split` makes each block a record. */
export const IMPORT_PEM_INPUT = z.object({
  pem_content: z.string(),
  private_key_location: z.string().optional(),
  tenant: z.union([z.int(), z.record(z.string(), z.unknown()), z.null()]).optional(),
  tags: z.array(z.union([z.int(), z.record(z.string(), z.unknown())])).optional(),
  split: z.boolean().optional(),
});

/** The brief form in which imports list what they created. */
export interface ImportedBrief {
  id: number;
  url: string;
  common_name: string;
  serial_number: string;
  status: string;
  valid_to: string;
}

/** What a split import did. */
export interface SplitImport {
  created_count: number;
  certificates: ImportedBrief[];
  skipped_count: number;
  skipped: Skipped[];
}

/**
 * Imports PEM text; all or nothing. Gives the certificate, or with `split` what was created and what was there.
 * Errors: forbidden, invalid (by field).
 */
export async function importPem(
  { ctx, input }: { ctx: Context; input: unknown },
): Promise<{ certificate: Record<string, unknown> } | { split: SplitImport }> {
  const allowed = authorizeImport(ctx);
  const { text, split, extra } = readInput(input);
  const found = readAll(text);
  if (split) {
    const pool = bySubject(found);
    const items = found.map((certificate): ImportItem => ({ ...memberOf(certificate, pool), extra }));
    const outcome = await store({ ctx, allowed }, items, "skip");
    return {
      split: {
        created_count: outcome.created.length,
        certificates: outcome.created.map(briefOf),
        skipped_count: outcome.skipped.length,
        skipped: outcome.skipped,
      },
    };
  }
  const outcome = await store({ ctx, allowed }, [{ ...leafWithChain(found), extra }], "error");
  return { certificate: outcome.created[0] as Record<string, unknown> };
}

/**
 * Stores one certificate with its chain out of a PEM text, within a transaction that is open already (renewal).
 * Gives its id. Errors: invalid, on `pem_content` and the fields of `extra`.
 */
export async function storePem(
  call: WriteCall,
  { pem, extra, inherited }: { pem: string; extra: Record<string, unknown>; inherited: Inherited },
): Promise<number> {
  const item: ImportItem = { ...leafWithChain(readAll(pem)), extra };
  const { created, errors } = await storeMembers(call, [item], { onDuplicate: "error", inherited });
  if (errors !== undefined) throw invalid(merged(errors));
  return created[0]?.id as number;
}

async function store(
  { ctx, allowed }: { ctx: Context; allowed: Lookup },
  items: readonly ImportItem[],
  onDuplicate: "error" | "skip",
): Promise<ImportOutcome> {
  const outcome = await ctx.database.write(async (tx) => {
    const call: WriteCall = { ctx, tx, resource: certificates, allowed };
    const result = await storeMembers(call, items, { onDuplicate });
    if (result.errors !== undefined) throw invalid(merged(result.errors));
    return result;
  });
  certificates.afterCommit?.(ctx);
  return outcome;
}

/** The fields are the caller's own, so what several certificates say about them is said once. */
function merged(all: readonly FieldErrors[]): FieldErrors {
  const errors: FieldErrors = {};
  for (const one of all) {
    for (const [field, messages] of Object.entries(one)) {
      for (const message of messages) if (!errors[field]?.includes(message)) addError(errors, field, message);
    }
  }
  return errors;
}

function readInput(input: unknown): { text: string; split: boolean; extra: Record<string, unknown> } {
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    throw new AppError("invalid", `Expected an object with pem_content, not ${quote(input)}.`);
  }
  const given = input as Record<string, unknown>;
  const errors: FieldErrors = {};
  refusePrivateKeys(given, errors);
  if (Object.keys(errors).length > 0) throw invalid(errors);
  if (given.pem_content === undefined) addError(errors, "pem_content", REQUIRED);
  else if (typeof given.pem_content !== "string") {
    addError(errors, "pem_content", `Expected PEM text, not ${quote(given.pem_content)}.`);
  }
  const split = SPLIT.input?.safeParse(given.split ?? false);
  if (split?.success === false) errors.split = issueMessages(split.error);
  if (Object.keys(errors).length > 0) throw invalid(errors);
  const extra = Object.fromEntries(
    ["private_key_location", "tenant", "tags"].filter((name) => given[name] !== undefined).map((
      name,
    ) => [name, given[name]]),
  );
  return { text: given.pem_content as string, split: split?.data === true, extra };
}

const SPLIT = boolean("split", { description: "Each block becomes a record of its own." });

/** Every certificate of the text; a part that cannot be read refuses the whole. */
function readAll(text: string): Certificate[] {
  const { members, findings } = readCertificates(text);
  if (findings.length > 0) throw invalid({ pem_content: [...new Set(findings.map(unreadable))] });
  return members.map((member) => member.certificate);
}

/** The first certificate, with all others as its chain; one that is no part of it is refused. */
function leafWithChain(found: readonly Certificate[]): Omit<ImportItem, "extra"> {
  const [leaf, ...others] = found as [Certificate, ...Certificate[]];
  const pool = bySubject(others);
  const above = new Set(issuersOf(leaf, pool).map((certificate) => certificate.fingerprintSha256));
  const strangers = others.map((certificate, index) => ({ certificate, block: index + 2 })).filter((
    { certificate },
  ) => certificate.fingerprintSha256 !== leaf.fingerprintSha256 && !above.has(certificate.fingerprintSha256));
  if (strangers.length > 0) {
    const named = strangers.slice(0, 5).map(({ certificate, block }) =>
      `${block} (${quote(certificate.subject.text)})`
    );
    throw invalid({
      pem_content: [
        `Certificate ${named.join(", ")} is no part of the first certificate's chain. ` +
        `Put the certificate first and its chain after it, or send "split": true to import each one as a record of its own.`,
      ],
    });
  }
  return memberOf(leaf, pool);
}

function briefOf(object: Record<string, unknown>): ImportedBrief {
  const { id, url, common_name, serial_number, status, valid_to } = object as unknown as ImportedBrief;
  return { id, url, common_name, serial_number, status, valid_to };
}
