/** Read → plan → apply: certificates that were read become records; those that are there already are told apart. */

import { getTableName, sql } from "drizzle-orm";
import { restrictionSql, visible } from "../../access/mod.ts";
import { addError, type FieldErrors } from "../../base/errors.ts";
import type { Cell, Row } from "../../db/mod.ts";
import {
  anyErrors,
  draftsOf,
  judgeDrafts,
  parseObject,
  plainHex,
  storeDrafts,
  type WriteCall,
} from "../../resource/mod.ts";
import { inventoryFields } from "../../x509/mod.ts";
import type { Member } from "./members.ts";

/** A certificate to be stored, with what the caller says about it. */
export interface ImportItem extends Member {
  /** Fields beside the certificate's own: `private_key_location`, `tenant`, `tags`. */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** One that was there already, or twice in the batch. */
export interface Skipped {
  readonly common_name: string;
  readonly serial_number: string;
  readonly reason: string;
}

/** What records take over from another one, whether the caller may see it or not: columns, and resolved lists of ids. */
export interface Inherited {
  readonly row: Readonly<Record<string, Cell>>;
  readonly input: Readonly<Record<string, readonly number[]>>;
}

/** What an import did, or why each item was refused (then nothing was stored). */
export interface ImportOutcome {
  readonly created: Record<string, unknown>[];
  readonly skipped: Skipped[];
  /** By item; empty for good ones. Present only if one was refused. */
  readonly errors?: FieldErrors[];
}

/** Stores items in the caller's transaction. The number of statements does not depend on how many there are. */
export async function storeMembers(
  call: WriteCall,
  items: readonly ImportItem[],
  options: { onDuplicate: "error" | "skip"; inherited?: Inherited },
): Promise<ImportOutcome> {
  const duplicates = await findDuplicates(call, items);
  const errors: FieldErrors[] = items.map(() => ({}));
  const skipped: Skipped[] = [];
  const fresh: { item: ImportItem; index: number }[] = [];
  for (const [index, item] of items.entries()) {
    const reason = duplicates.get(index);
    if (reason === undefined) fresh.push({ item, index });
    else if (options.onDuplicate === "error") addError(errors[index] as FieldErrors, "pem_content", reason);
    else skipped.push({ ...identity(item), reason });
  }
  const parsed = fresh.map(({ item }) =>
    parseObject(call.resource, { ...item.extra, pem_content: item.pem, issuer_chain: item.chain }, "create")
  );
  const drafts = await draftsOf(call, parsed);
  await judgeDrafts(call, drafts);
  for (const draft of drafts) {
    Object.assign(draft.row, options.inherited?.row);
    Object.assign(draft.input, options.inherited?.input);
  }
  for (const [index, draft] of drafts.entries()) {
    const place = fresh[index]?.index as number;
    errors[place] = { ...errors[place], ...draft.errors };
  }
  if (anyErrors(errors.map((one) => ({ errors: one })))) return { created: [], skipped, errors };
  const created = drafts.length === 0 ? [] : await storeDrafts(call, drafts);
  return { created, skipped };
}

function identity(item: ImportItem): { common_name: string; serial_number: string } {
  const { common_name, serial_number } = inventoryFields(item.certificate);
  return { common_name, serial_number };
}

/** Reasons by index of items that are in the store, or earlier in the batch. One statement. */
async function findDuplicates(call: WriteCall, items: readonly ImportItem[]): Promise<Map<number, string>> {
  const { ctx, tx, resource } = call;
  const keys = items.map(({ certificate }) => {
    const { serial_number, issuer } = inventoryFields(certificate);
    return [plainHex(serial_number, { number: true }), issuer] as const;
  });
  const alias = getTableName(resource.table);
  const seen = restrictionSql(ctx, visible(ctx, resource.objectType), resource.objectType, alias) ?? sql`1`;
  const rows = await tx.all<Row>(
    sql`SELECT wanted.key AS place, certificates.id AS id, certificates.common_name AS common_name, (${seen}) IS TRUE AS seen
        FROM json_each(${JSON.stringify(keys)}) AS wanted
        JOIN certificates ON certificates.serial_hex = wanted.value->>0 AND certificates.issuer = wanted.value->>1`,
  );
  const reasons = new Map<number, string>();
  for (const row of rows) {
    // Of a row that the caller may not see, nothing is said but that the identity is taken.
    const named = row.seen === 1 ? `: ${row.common_name} (ID: ${row.id})` : "";
    reasons.set(row.place as number, `Certificate already exists${named}.`);
  }
  const first = new Map<string, number>();
  for (const [index, key] of keys.entries()) {
    const earlier = first.get(key.join("\n"));
    if (earlier === undefined) first.set(key.join("\n"), index);
    else if (!reasons.has(index)) reasons.set(index, `Duplicate of item ${earlier} in this batch.`);
  }
  return reasons;
}
