/**
 * Writes a bundle of PEM blocks (RFC 7468), with comment lines that describe each certificate before it.
 * Certificates are decoded and encoded again, so that text between the blocks of a stored text is not
 * exported. Names are escaped, so that they can neither end their comment line nor look like the beginning of
 * a block.
 */

import { type Certificate, encodePem, printable, readCertificates } from "../x509/mod.ts";
import type { ExportRow, Writer } from "./stream.ts";

/** Maximum length of a comment: enough for any real name. */
const MAX_COMMENT_CHARS = 200;
/** Fields of a bundle. */
const FIELDS = ["common_name", "serial_number", "valid_to", "pem_content"] as const;
const CHAIN_FIELD = "issuer_chain";

const ABSENT = "No PEM is stored for this certificate";
const UNREADABLE = "The stored PEM contains no readable certificate";
const PARTIAL = "Parts of the stored chain are not readable certificates";

/** Returns the fields of a row that a bundle needs. */
export function pemFields({ chain }: { readonly chain: boolean }): readonly string[] {
  return chain ? [...FIELDS, CHAIN_FIELD] : FIELDS;
}

/**
 * Returns a writer of PEM bundles, with chains if the fields include them. Entries that consist of comments
 * only are written before the next entry with blocks, because text after the last block is an error for some
 * readers (openssl storeutl).
 */
export function pemWriter(fields: readonly string[]): Writer {
  const chain = fields.includes(CHAIN_FIELD);
  let held = "";
  return {
    begin: "",
    *rows(rows): Generator<string> {
      for (const row of rows) {
        const { head, blocks } = entry(row, chain);
        if (blocks === "") yield `${head}\n`;
        else {
          if (held !== "") yield `${held}\n`;
          held = head + blocks;
        }
      }
    },
    end: () => held,
  };
}

/** Returns the comments about a certificate, and its blocks with the comments between them. */
function entry(row: ExportRow, chain: boolean): { head: string; blocks: string } {
  const head = [
    comment(`Common name: ${textOf(row.common_name)}`),
    comment(`Serial number: ${textOf(row.serial_number)}`),
    comment(`Expires: ${textOf(row.valid_to).slice(0, "2026-11-20".length)}`),
  ];
  const own = readStored(row.pem_content);
  const [leaf, ...rest] = own.certificates;
  if (leaf === undefined) head.push(comment(own.partial ? UNREADABLE : ABSENT));
  const blocks = leaf === undefined ? [] : [encodePem(leaf.der)];
  if (chain) {
    // Additional certificates in the certificate's text are part of its chain, as in chain validation.
    const above = readStored(row[CHAIN_FIELD]);
    const encoded = new Set([...rest, ...above.certificates].map(({ der }) => encodePem(der)));
    for (const block of blocks) encoded.delete(block);
    if (encoded.size > 0) blocks.push(comment("Chain"), ...encoded);
    if (above.partial) head.push(comment(PARTIAL));
  }
  return { head: head.join(""), blocks: blocks.join("") };
}

interface Stored {
  readonly certificates: readonly Certificate[];
  /** Whether parts of the text are not certificates. */
  readonly partial: boolean;
}

function readStored(value: ExportRow[string] | undefined): Stored {
  const text = textOf(value);
  if (text.trim() === "") return { certificates: [], partial: false };
  const { members, findings } = readCertificates(text);
  return { certificates: members.map((member) => member.certificate), partial: findings.length > 0 };
}

function textOf(value: ExportRow[string] | undefined): string {
  return typeof value === "string" ? value : "";
}

/** Returns a comment line. Escapes control characters and separates consecutive hyphens, which could start a block. */
function comment(text: string): string {
  const shown = text.length > MAX_COMMENT_CHARS ? `${text.slice(0, MAX_COMMENT_CHARS)}…` : text;
  return `# ${printable(shown).replace(/-{3,}/g, (run) => [...run].join(" "))}\n`;
}
