/** Long texts that many objects share, and that are stored once. */

import { type SQL, sql } from "drizzle-orm";
import { WRITTEN_PLAIN_CHARS } from "../../../base/limits.ts";
import { idsIn, inBatches, jsonText, storableText } from "../../../db/mod.ts";
import type { Field } from "../definition.ts";
import { columnOf } from "../../../filters/mod.ts";
import type { FieldOptions } from "./column.ts";
import { hashOfText, sideTableText } from "./side.ts";

/** The tables of shared texts. */
export interface SharedTexts {
  /** Table of the texts: `id`, `sha256` (unique) and `content`. */
  readonly texts: string;
  /**
   * Table with one row per object that has a text, and its columns with the ids of the object and the text.
   */
  readonly uses: string;
  readonly own: string;
  readonly text: string;
  /**
   * Table with texts that were stored earlier, in a column with the field's name. Its rows also have the
   * column `own`.
   */
  readonly earlier: string;
}

/** Defines a long text that is stored once for all objects that have it. Not included in lists by default. */
export function sharedText(name: string, options: FieldOptions & SharedTexts & { maxChars: number }): Field {
  const [earlier, own, column] = [options.earlier, options.own, name].map((each) => sql.identifier(each));
  return sideTableText(name, options, {
    value: (alias) => sql`coalesce(${sharedTextSql(name, { ...options, id: columnOf(alias, "id") })}, '')`,
    bytes: (alias) =>
      sql`coalesce(${sharedTextSql(name, { ...options, id: columnOf(alias, "id"), measured: true })}, 0)`,
    store: (drafts) => {
      const written = drafts.filter((draft) => name in draft.input);
      const texts = written.flatMap(({ id, input }) =>
        input[name] === "" ? [] : [{ id, text: String(input[name]) }]
      );
      const updated = written.filter(({ before }) => before !== undefined).map(({ id }) => id);
      const emptied = written.filter(({ before, input }) => before !== undefined && input[name] === "");
      return [
        ...storeShared(options, texts),
        ...emptied.length === 0 ? [] : [
          sql`DELETE FROM ${sql.identifier(options.uses)} WHERE ${own} IN ${
            idsIn(emptied.map(({ id }) => id))
          }`,
        ],
        ...updated.length === 0 ? [] : [
          sql`UPDATE ${earlier} SET ${column} = '' WHERE ${own} IN ${idsIn(updated)} AND ${column} <> ''`,
        ],
      ];
    },
  });
}

/** Returns an expression for the text of an object or (`measured`) its size in bytes; null if it has none. */
export function sharedTextSql(
  name: string,
  { texts, uses, own, text, earlier, id, measured = false }: SharedTexts & { id: SQL; measured?: boolean },
): SQL {
  const [ownColumn, column] = [sql.identifier(own), sql.identifier(name)];
  const read = (cell: unknown): SQL => measured ? sql`octet_length(${cell})` : sql`${cell}`;
  return sql`coalesce((SELECT ${read(sql.identifier("content"))} FROM ${
    sql.identifier(texts)
  } WHERE id = (SELECT ${sql.identifier(text)} FROM ${
    sql.identifier(uses)
  } WHERE ${ownColumn} = ${id})), (SELECT ${read(column)} FROM ${
    sql.identifier(earlier)
  } WHERE ${ownColumn} = ${id}))`;
}

/** Returns the statements that store non-empty texts of objects. */
export function storeShared(
  { texts, uses, own, text }: Omit<SharedTexts, "earlier">,
  written: readonly { readonly id: number; readonly text: string }[],
): SQL[] {
  if (written.length === 0) return [];
  const hashes = new Map<string, string>();
  for (const { text } of written) if (!hashes.has(text)) hashes.set(text, hashOfText(storableText(text)));
  const rows = [...hashes].map(([text, hash]) => [hash, text]);
  const used = written.map(({ id, text }) => [id, hashes.get(text)]);
  const [textTable, useTable] = [sql.identifier(texts), sql.identifier(uses)];
  const [ownColumn, textColumn] = [sql.identifier(own), sql.identifier(text)];
  return [
    ...inBatches(rows, WRITTEN_PLAIN_CHARS).map((some) =>
      sql`INSERT INTO ${textTable} (sha256, content) SELECT value->>0, value->>1 FROM json_each(${
        jsonText(some)
      }) WHERE true ON CONFLICT (sha256) DO NOTHING`
    ),
    sql`INSERT INTO ${useTable} (${ownColumn}, ${textColumn})
      SELECT value->>0, (SELECT id FROM ${textTable} WHERE sha256 = value->>1) FROM json_each(${
      JSON.stringify(used)
    }) WHERE true ON CONFLICT (${ownColumn}) DO UPDATE SET ${textColumn} = excluded.${textColumn}`,
  ];
}
