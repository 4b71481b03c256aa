/** Stores the texts of certificates: a certificate as its DER, and each chain once. */

import { type SQL, sql } from "drizzle-orm";
import type { Context } from "../../auth/mod.ts";
import { inSlices, type Pause } from "../../base/pace.ts";
import { MAX_PEM_TEXT_BYTES, WRITTEN_PLAIN_CHARS } from "../../base/limits.ts";
import { type Cell, idsIn, inBatches, jsonText, storableText } from "../../db/mod.ts";
import { columnOf, type Field, hashOfText, sideTableText } from "../../resource/mod.ts";
import { type Certificate, encodePem, readingCertificates } from "../../x509/mod.ts";

/**
 * Returns an expression for the PEM text in a row of `certificate_texts`. {@link readPemText} decodes its
 * value.
 */
export function pemTextSql(alias: string): SQL {
  const [der, text] = [columnOf(alias, "der"), columnOf(alias, "pem_content")];
  return sql`CASE WHEN ${der} IS NULL THEN ${text} ELSE hex(${der}) END`;
}

/** Decodes the value of {@link pemTextSql}. Returns an empty text for null, which is a missing row. */
export function readPemText(cell: Cell): string {
  const text = String(cell ?? "");
  // Hexadecimal digits have no hyphens, and every other stored text has those of a certificate.
  return text === "" || text.includes("-") ? text : encodePem(Uint8Array.fromHex(text));
}

/** Returns the DER of a text that is exactly one certificate as `encodePem` writes it; undefined for others. */
export function derOfPem(text: string): Uint8Array | undefined {
  const [begin, end] = ["-----BEGIN CERTIFICATE-----\n", "-----END CERTIFICATE-----\n"];
  if (!text.startsWith(begin) || !text.endsWith(end)) return undefined;
  try {
    const der = Uint8Array.fromBase64(text.slice(begin.length, -end.length), { lastChunkHandling: "strict" });
    return der.length > 0 && encodePem(der) === text ? der : undefined;
  } catch {
    return undefined;
  }
}

/** Bytes of the text that `encodePem` makes of a DER: base64 in lines of 64 characters, and two marks. */
const PEM_BYTES = sql`54 + (octet_length(der) + 2) / 3 * 4 + ((octet_length(der) + 2) / 3 * 4 + 63) / 64`;

/** Defines `pem_content`. */
export function pemField(): Field<"pem_content", string> {
  const selected = (alias: string, value: SQL): SQL =>
    sql`(SELECT ${value} FROM certificate_texts WHERE certificate_id = ${columnOf(alias, "id")})`;
  return sideTableText("pem_content", {
    description: "The certificate as PEM; it fills the fields that are not given.",
    maxChars: MAX_PEM_TEXT_BYTES,
  }, {
    value: (alias) => selected(alias, pemTextSql("certificate_texts")),
    decode: readPemText,
    bytes: (alias) =>
      sql`coalesce(${selected(alias, sql`coalesce(${PEM_BYTES}, octet_length(pem_content))`)}, 0)`,
    store: (drafts) => {
      const rows = drafts
        .filter(({ input, before }) => "pem_content" in input && (input.pem_content !== "" || before))
        .map(({ id, input }): Cell[] => {
          const text = String(input.pem_content);
          const der = derOfPem(text);
          return der === undefined ? [id, text, null] : [id, "", der.toHex()];
        });
      return inBatches(rows, WRITTEN_PLAIN_CHARS).map((some) =>
        sql`INSERT INTO certificate_texts (certificate_id, pem_content, der)
          SELECT value->>0, value->>1, unhex(value->>2) FROM json_each(${jsonText(some)})
          WHERE true ON CONFLICT (certificate_id) DO UPDATE
          SET pem_content = excluded.pem_content, der = excluded.der`
      );
    },
  });
}

/** Returns an expression for the chain of a certificate or its size in bytes; null if it has none. */
function storedChain(certificateId: SQL, content = sql`content`): SQL {
  return sql`(SELECT ${content} FROM issuer_chains WHERE id =
    (SELECT chain_id FROM certificate_issuer_chains WHERE certificate_id = ${certificateId}))`;
}

/** Returns an expression for the chain of a certificate; empty if it has none. */
export function issuerChainSql(certificateId: SQL): SQL {
  return sql`coalesce(${storedChain(certificateId)}, '')`;
}

/** Returns the condition that a certificate has a chain. It does not read the text. */
export function hasIssuerChain(certificateId: SQL): SQL {
  return sql`EXISTS (SELECT 1 FROM certificate_issuer_chains WHERE certificate_id = ${certificateId})`;
}

/** Returns an expression for the SHA-256 of the chain of a certificate; null if it has none. */
export function chainHashSql(certificateId: SQL): SQL {
  return storedChain(certificateId, sql`sha256`);
}

/** Returns the SHA-256 that is stored with a chain; null without one. */
export function chainHash(text: unknown): string | null {
  return typeof text !== "string" || text === "" ? null : hashOfText(storableText(text));
}

/** Defines `issuer_chain`. Rows that are changed have only its hash, because a chain can have a megabyte. */
export function chainField(): Field<"issuer_chain", string> {
  const hash = "issuer_chain_sha256";
  return sideTableText("issuer_chain", {
    description: "PEM of the intermediate certificates, in any order.",
    maxChars: MAX_PEM_TEXT_BYTES,
  }, {
    value: (alias) => issuerChainSql(columnOf(alias, "id")),
    bytes: (alias) => sql`coalesce(${storedChain(columnOf(alias, "id"), sql`octet_length(content)`)}, 0)`,
    store: (drafts) => {
      const written = drafts.filter(({ input }) => "issuer_chain" in input);
      const emptied = written.filter(({ before, input }) =>
        before !== undefined && input.issuer_chain === ""
      );
      const texts = written.filter(({ input }) => input.issuer_chain !== "")
        .map(({ id, input }): [number, string] => [id, String(input.issuer_chain)]);
      return [
        ...storeChains(texts),
        ...emptied.length === 0 ? [] : [
          sql`DELETE FROM certificate_issuer_chains WHERE certificate_id IN ${
            idsIn(emptied.map(({ id }) => id))
          }`,
        ],
      ];
    },
    values: ({ input }) => ({ [hash]: chainHash(input.issuer_chain) }),
    record: {
      read: (row) => row[hash] ? `sha256:${row[hash]}` : "",
      select: ({ alias }) => [[hash, chainHashSql(columnOf(alias, "id"))]],
    },
  });
}

/** Returns the statements that store non-empty chains by the ids of their certificates. */
function storeChains(chains: readonly (readonly [id: number, text: string])[]): SQL[] {
  if (chains.length === 0) return [];
  const hashes = new Map(
    [...new Set(chains.map(([, text]) => text))].map((text) => [text, chainHash(text)]),
  );
  const used = chains.map(([id, text]) => [id, hashes.get(text)]);
  return [
    ...inBatches([...hashes].map(([text, hash]) => [hash, text]), WRITTEN_PLAIN_CHARS).map((some) =>
      sql`INSERT INTO issuer_chains (sha256, content) SELECT value->>0, value->>1 FROM json_each(${
        jsonText(some)
      }) WHERE true ON CONFLICT (sha256) DO NOTHING`
    ),
    sql`INSERT INTO certificate_issuer_chains (certificate_id, chain_id)
      SELECT value->>0, (SELECT id FROM issuer_chains WHERE sha256 = value->>1) FROM json_each(${
      JSON.stringify(used)
    }) WHERE true ON CONFLICT (certificate_id) DO UPDATE SET chain_id = excluded.chain_id`,
  ];
}

/** A certificate as it is stored. */
export interface Stored<Columns> {
  readonly row: Columns & { readonly id: number };
  readonly pem_content: string;
  /** undefined without a PEM. */
  readonly certificate: Certificate | undefined;
}

/** Reads certificates with columns of `certificates` and of their `authority`, one after the other. One statement. */
export async function* readStored<Columns>(
  { database }: Context,
  { ids, columns, pause }: { ids: readonly number[]; columns: SQL; pause: Pause },
): AsyncGenerator<Stored<Columns>> {
  const rows = await database.all<Columns & { id: number; pem: string | null }>(
    sql`SELECT certificates.id AS id, ${pemTextSql("texts")} AS pem, ${columns}
        FROM certificates LEFT JOIN certificate_texts AS texts ON texts.certificate_id = certificates.id
        LEFT JOIN certificate_authorities AS authority ON authority.id = certificates.issuing_ca_id
        WHERE certificates.id IN ${idsIn(ids)}`,
  );
  for (const row of rows) {
    const pem_content = readPemText(row.pem);
    const { members: [member] } = await inSlices(readingCertificates(pem_content), pause);
    yield { row, pem_content, certificate: member?.certificate };
    await pause();
  }
}
