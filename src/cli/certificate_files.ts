/** Reads files with certificates as texts for an import. */

import { join } from "node:path";
import { MAX_PEM_TEXT_BYTES } from "../base/limits.ts";
import {
  containerOf,
  encodePem,
  holdsPrivateKey,
  PRIVATE_KEY_MESSAGE,
  readCertificates,
} from "../x509/mod.ts";
import { FileError, reasonOf } from "./failure.ts";
import { certificatesOfStore } from "./key_stores.ts";

/** Extensions of files that are read in folders. A file that is named explicitly is always read. */
export const CERTIFICATE_ENDINGS: readonly string[] = [
  ".pem",
  ".crt",
  ".cer",
  ".cert",
  ".der",
  ".p7b",
  ".p7c",
  ".jks",
  ".jceks",
];
/** Maximum size of a file in bytes: more than ten thousand certificates with their chains. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024;
/**
 * Maximum length of a text, and maximum number of its certificates. Each text is imported completely or not
 * at all.
 */
const MAX_CHUNK_CHARS = MAX_PEM_TEXT_BYTES / 2;
const MAX_CHUNK_BLOCKS = 200;

const REQUEST_LABEL = /-----BEGIN (NEW )?CERTIFICATE REQUEST-----/;
const REQUEST_MESSAGE = "Contains a certificate signing request, not a certificate. Send it to " +
  "POST /api/plugins/certmgr/csrs/import/.";
const TABLE_NAME = /\.(?:csv|json|ya?ml)$/i;
const TABLE_MESSAGE =
  "No table of certificates: expected CSV with columns such as common_name, or a list in JSON or YAML.";

/** Files, and folders below the given ones that cannot be read. */
export interface FoundFiles {
  readonly files: readonly string[];
  readonly unreadable: readonly { readonly folder: string; readonly reason: string }[];
}

/**
 * Returns the files of the given paths: files themselves, and all files in folders that have one of the
 * extensions, in the order of their names. Errors: {@link FileError} if a given path cannot be read.
 */
export async function findFiles(
  paths: readonly string[],
  endings: readonly string[] = CERTIFICATE_ENDINGS,
): Promise<FoundFiles> {
  const files: string[] = [];
  const found = { files, unreadable: [], endings };
  for (const path of paths) {
    const { isDirectory } = await statOf(path);
    if (!isDirectory) files.push(path);
    else await walk(path, await entriesOf(path).catch((error) => cannotRead(path, error)), found);
  }
  return { files: [...new Set(files)], unreadable: found.unreadable };
}

async function statOf(path: string): Promise<Deno.FileInfo> {
  return await Deno.stat(path).catch((error) => cannotRead(path, error));
}

function cannotRead(path: string, error: unknown): never {
  if (error instanceof Deno.errors.NotCapable) throw error;
  const text = `File ${JSON.stringify(path)} `;
  throw new FileError(
    error instanceof Deno.errors.NotFound
      ? `${text}does not exist.`
      : `${text}cannot be read: ${reasonOf(error)}.`,
  );
}

async function entriesOf(folder: string): Promise<Deno.DirEntry[]> {
  const entries = await Array.fromAsync(Deno.readDir(folder));
  return entries.sort((a, b) => a.name < b.name ? -1 : 1);
}

/**
 * Links to files are followed (certificate clients use one for the newest certificate), links to folders are
 * not.
 */
async function walk(
  folder: string,
  entries: readonly Deno.DirEntry[],
  found: {
    readonly files: string[];
    readonly unreadable: { folder: string; reason: string }[];
    readonly endings: readonly string[];
  },
): Promise<void> {
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory) {
      const below = await entriesOf(path).catch((error) => {
        // Such as the folder of private keys next to that of certificates.
        found.unreadable.push({ folder: path, reason: reasonOf(error) });
        return [];
      });
      await walk(path, below, found);
    } else if (
      found.endings.some((ending) => entry.name.toLowerCase().endsWith(ending)) &&
      (entry.isFile || await isFile(path))
    ) found.files.push(path);
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isFile;
  } catch {
    // The target of the link does not exist.
    return false;
  }
}

/**
 * Returns the PEM texts of a file. Of a key store only its certificates. Errors: {@link FileError} if it contains no certificate, or a request,
 * a table or a key.
 */
export async function readTexts(path: string, passwords: readonly string[]): Promise<string[]> {
  const { size, isFile } = await statOf(path);
  if (!isFile) throw new FileError("Not a regular file.");
  if (size > MAX_FILE_BYTES) {
    throw new FileError(`The file has ${size} bytes. At most ${MAX_FILE_BYTES} are read.`);
  }
  const bytes = await Deno.readFile(path);
  const stored = await certificatesOfStore(bytes, passwords);
  if (stored?.length === 0) throw new FileError("The key store has no certificates.");
  if (stored !== undefined) return chunksOf([...new Set(stored.map((der) => encodePem(der)))].join(""));
  const container = containerOf(bytes);
  if (container !== undefined) throw new FileError(`${container}.`);
  // A key must not even be sent to the service, which would refuse it.
  if (holdsPrivateKey(bytes)) throw new FileError(PRIVATE_KEY_MESSAGE);
  if (TABLE_NAME.test(path)) throw new FileError(TABLE_MESSAGE);
  const text = new TextDecoder().decode(bytes);
  if (REQUEST_LABEL.test(text)) throw new FileError(REQUEST_MESSAGE);
  if (text.includes("-----BEGIN ")) return chunksOf(text);
  const { members, findings } = readCertificates(bytes);
  const [finding] = findings;
  if (finding?.code === "signing_request") throw new FileError(REQUEST_MESSAGE);
  if (finding !== undefined) throw new FileError(finding.message);
  return [members.map(({ certificate }) => encodePem(certificate.der)).join("")];
}

/** Divides a long PEM text after END lines. */
export function chunksOf(text: string): string[] {
  if (text.length <= MAX_CHUNK_CHARS) return [text];
  const chunks: string[] = [];
  let chunk = "";
  let blocks = 0;
  for (const block of text.split(/(?<=-----END [^-\r\n]*-----)/)) {
    if (blocks === MAX_CHUNK_BLOCKS || (blocks > 0 && chunk.length + block.length > MAX_CHUNK_CHARS)) {
      chunks.push(chunk);
      [chunk, blocks] = ["", 0];
    }
    chunk += block;
    blocks++;
  }
  // The text after the last block contains no certificate. Alone, it would be refused for that reason.
  if (chunk.includes("-----BEGIN ") || chunks.length === 0) chunks.push(chunk);
  return chunks;
}
