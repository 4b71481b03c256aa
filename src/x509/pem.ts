/**
 * PEM framing (RFC 7468, read leniently): blocks may be anywhere in a text, and all white space in them is
 * ignored, as are the traces of mail, HTML, JSON, source code and word processors; the rest must be strict
 * base64. Header lines of RFC 1421 (`Name: value`) at the start of a block
 * are skipped, because old tools write them before certificates, too. A block is refused if its headers say
 * that it is encrypted. Takes one pass.
 */

import { MAX_MEMBERS } from "../base/limits.ts";
import type { Finding } from "./types.ts";

/** One block, decoded. */
export interface PemBlock {
  readonly label: string;
  /** 1-based, in the order of the text. Blocks that cannot be read are counted, too. */
  readonly block: number;
  /** 1-based line of the BEGIN marker. */
  readonly line: number;
  readonly bytes: Uint8Array;
}

/** The decoded blocks, and findings for those that could not be decoded. */
export interface PemReading {
  readonly blocks: readonly PemBlock[];
  readonly findings: readonly Finding[];
}

/** Maximum number of characters in the header lines of a block. */
const MAX_HEADER_CHARACTERS = 4_096;

interface Marker {
  readonly begin: boolean;
  readonly label: string;
  readonly start: number;
  readonly end: number;
  readonly line: number;
}

/** Decodes every block of a text. A text without a block produces the finding `no_pem`. */
export function readPem(given: string): PemReading {
  const text = withMarkers(given);
  const blocks: PemBlock[] = [];
  const findings: Finding[] = [];
  let open: Marker | undefined;
  let number = 0;
  for (const marker of markers(text)) {
    const { begin, label, line } = marker;
    if ((begin && number === MAX_MEMBERS) || findings.length === MAX_MEMBERS) {
      findings.push({ code: "too_large", message: `More than ${MAX_MEMBERS} PEM blocks`, line });
      return { blocks, findings };
    }
    if (begin) {
      if (open !== undefined) findings.push(unclosed(open, number));
      number++;
      open = marker;
    } else if (open === undefined) {
      findings.push({ code: "malformed", message: `END ${label} without its BEGIN`, line });
    } else {
      const block = decode(text, { open, close: marker, number });
      if ("code" in block) findings.push(block);
      else blocks.push(block);
      open = undefined;
    }
  }
  if (open !== undefined) findings.push(unclosed(open, number));
  if (number === 0 && findings.length === 0) {
    findings.push({ code: "no_pem", message: "No PEM block in the text" });
  }
  return { blocks, findings };
}

/** Restores markers in which a word processor wrote dashes or spaces of its own, or a proxy percent-encoded them. */
function withMarkers(text: string): string {
  const plain = /%20CERTIFICATE/.test(text)
    ? text.replace(/%(0[AD]|2[0BDF]|3D)/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16)))
    : text;
  if (!/[\u00a0\u2010-\u2015\u2212]/.test(plain)) return plain;
  return plain.replaceAll("\u00a0", " ").replace(TYPED_DASHES, "-----");
}

/** A typographic dash among the dashes before BEGIN or END, or after a label. */
const TYPED_DASHES =
  /[-\u2010-\u2015\u2212]{2,10}(?=(?:BEGIN|END) )|(?<=(?:BEGIN|END) [ -~]{1,64})[-\u2010-\u2015\u2212]{2,10}/g;

function* markers(text: string): Generator<Marker> {
  let line = 1;
  let counted = 0;
  // The length of the label is limited, so that a long row of dashes takes linear time.
  for (const match of text.matchAll(/-----(BEGIN|END) ([ -,.-~][ -~]{0,63}?)-----/g)) {
    line += countLines(text, counted, match.index);
    counted = match.index;
    const [whole, kind, label = ""] = match;
    yield {
      begin: kind === "BEGIN",
      label: label.trim(),
      start: match.index,
      end: match.index + whole.length,
      line,
    };
  }
}

/** Counts line ends between two offsets: LF, CR LF, or CR alone. */
function countLines(text: string, from: number, to: number): number {
  // Searches only this part: otherwise the rest of the text would be searched again for each marker.
  const part = text.slice(from, to);
  let count = 0;
  for (let at = part.indexOf("\n"); at !== -1; at = part.indexOf("\n", at + 1)) count++;
  for (let at = part.indexOf("\r"); at !== -1; at = part.indexOf("\r", at + 1)) {
    if (text[from + at + 1] !== "\n") count++;
  }
  return count;
}

function unclosed({ label, line }: Marker, block: number): Finding {
  const part = label.endsWith("CERTIFICATE") ? { part: "cut_off" as const } : {};
  return { code: "malformed", message: `BEGIN ${label} without its END`, block, line, ...part };
}

function decode(
  text: string,
  { open, close, number }: { open: Marker; close: Marker; number: number },
): PemBlock | Finding {
  const place = { block: number, line: open.line };
  if (close.label !== open.label) {
    return { code: "malformed", message: `BEGIN ${open.label} is closed by END ${close.label}`, ...place };
  }
  const body = text.slice(open.end, close.start);
  const content = body.includes(":") ? withoutHeaders(body) : body;
  if (content === undefined) return { code: "encrypted", message: "The block is encrypted", ...place };
  const bytes = fromBase64(content) ?? fromBase64(withoutTraces(content));
  return bytes === undefined
    ? { code: "malformed", message: `${open.label} contains text that is not base64`, ...place }
    : { label: open.label, bytes, ...place };
}

/** Decodes base64 with ASCII white space; undefined for anything else. */
function fromBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.fromBase64(text, { lastChunkHandling: "strict" });
  } catch {
    return undefined;
  }
}

/**
 * Removes what other formats leave in base64: marks of quotation and comments at the beginning of lines, line
 * ends as `\n` and `<br>`, escapes of JSON and HTML, quotes and commas of source code, quoted-printable.
 */
function withoutTraces(body: string): string {
  const plain = /[&\\<=]/.test(body)
    ? body.replace(/\\[nrt]|<br\s*\/?>|=\r?\n(?=[A-Za-z0-9+/])|&nbsp;/gi, "\n").replace(/=3D/g, "=")
      .replace(
        /\\u00([0-9a-f]{2})|&#x([0-9a-f]{2});|&#(\d{2});/gi,
        (_, u, x, decimal) =>
          String.fromCharCode(decimal === undefined ? parseInt(u ?? x, 16) : Number(decimal)),
      )
    : body;
  return plain.replace(/^[ \t]*(?:(?:[>#*|;]|\/\/[ \t])[ \t]*)+/gm, "").replace(
    /["'][ \t]*[+.&][ \t]*$/gm,
    "",
  )
    .replace(/[\s\u200b\u2060"',\\]+/g, "");
}

/**
 * Returns the body after its RFC 1421 header lines, which end at a blank line; undefined if they say that it
 * is encrypted.
 */
function withoutHeaders(body: string): string | undefined {
  const text = body.trimStart();
  const end = /(?:\r\n|\r|\n)[ \t]*(?:\r\n|\r|\n)/.exec(text.slice(0, MAX_HEADER_CHARACTERS));
  if (end === null) return body;
  const headers = text.slice(0, end.index);
  if (!headers.split(/\r\n?|\n/).every((line) => /^[A-Za-z0-9-]+:|^[ \t]/.test(line))) return body;
  return /^Proc-Type:.*ENCRYPTED/im.test(headers) ? undefined : text.slice(end.index);
}

/** Characters per line. */
const LINE = 64;

/** Returns one PEM block (RFC 7468) with a line feed at its end. */
export function encodePem(der: Uint8Array, label = "CERTIFICATE"): string {
  const base64 = der.toBase64();
  const lines = [`-----BEGIN ${label}-----`];
  for (let at = 0; at < base64.length; at += LINE) lines.push(base64.slice(at, at + LINE));
  lines.push(`-----END ${label}-----`, "");
  return lines.join("\n");
}
