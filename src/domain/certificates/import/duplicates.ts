/** Certificates that are in the store already, or twice in a batch: said so that the caller can find the other one. */

import { getTableName, sql } from "drizzle-orm";
import { restrictionSql, visible } from "../../../auth/mod.ts";
import type { Row } from "../../../db/mod.ts";
import type { Draft, WriteCall } from "../../../resource/mod.ts";
import { certificates } from "../mod.ts";

const [IDENTITY] = certificates.unique;

/** Why a certificate is no new one. */
export interface Duplicate {
  readonly reason: string;
  /** Id of the one in the store, where the caller may see it. */
  readonly existing?: number;
}

/**
 * Takes the general message about uniqueness off judged drafts; gives a reason for each of these instead, by index.
 * One statement at the most, and none where nothing is there twice.
 */
export async function explainDuplicates(
  call: WriteCall,
  drafts: readonly Draft[],
  { places, noun }: { places: readonly number[]; noun: string },
): Promise<Map<number, Duplicate>> {
  const marked = drafts.flatMap((draft, index) => takeMark(draft) ? [{ draft, index }] : []);
  if (marked.length === 0) return new Map();
  const stored = await findStored(call, marked.map(({ draft }) => draft));
  const first = new Map<string, number>();
  for (const [index, draft] of drafts.entries()) {
    const key = keyOf(draft);
    if (!first.has(key)) first.set(key, places[index] as number);
  }
  return new Map(marked.map(({ draft, index }) => {
    const key = keyOf(draft);
    return [index, stored.get(key) ?? { reason: `Duplicate of ${noun} ${first.get(key)} in this batch.` }];
  }));
}

/** Whether the kit found the identity taken. */
function takeMark({ errors }: Draft): boolean {
  const { field, message } = IDENTITY as { field: string; message: string };
  const messages = errors[field];
  if (messages?.includes(message) !== true) return false;
  const others = messages.filter((one) => one !== message);
  if (others.length > 0) errors[field] = others;
  else delete errors[field];
  return true;
}

function keyOf({ row }: Draft): string {
  return JSON.stringify([row.serial_hex, row.issuer]);
}

/** What is said of stored certificates, by identity; of one that the caller may not see, only that it is there. */
async function findStored(
  { ctx, tx, resource }: WriteCall,
  drafts: readonly Draft[],
): Promise<Map<string, Duplicate>> {
  const keys = [...new Set(drafts.map(keyOf))];
  const alias = getTableName(resource.table);
  const seen = restrictionSql(ctx, visible(ctx, resource.objectType), resource.objectType, alias) ?? sql`1`;
  const rows = await tx.all<Row>(
    sql`SELECT wanted.key AS place, certificates.id AS id, certificates.common_name AS common_name, (${seen}) IS TRUE AS seen
        FROM json_each(${`[${keys.join()}]`}) AS wanted
        CROSS JOIN certificates ON certificates.serial_hex = wanted.value->>0 AND certificates.issuer = wanted.value->>1`,
  );
  return new Map(rows.map((row) => {
    const told = row.seen === 1
      ? {
        reason: `Certificate already exists: ${row.common_name} (ID: ${row.id}).`,
        existing: row.id as number,
      }
      : { reason: "Certificate already exists." };
    return [keys[row.place as number] as string, told];
  }));
}
