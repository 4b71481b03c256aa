/** Reads certificates from files and from Kubernetes for an agent. Reports never contain private keys. */

import { isAbsolute, join, resolve } from "node:path";
import { MAX_PRESENTED, presentedExcess } from "../domain/endpoints/mod.ts";
import { encodePem, parseCertificate, readCertificates } from "../x509/mod.ts";
import { CERTIFICATE_ENDINGS, findFiles } from "./certificate_files.ts";
import { CommandError, failing, reasonOf } from "./failure.ts";
import { fetchPatiently } from "./fetch_patiently.ts";
import type { LocatedCertificate } from "./observation_report.ts";
import { certificatesOfStore } from "./key_stores.ts";
import { readTextFile } from "./options.ts";

/** Certificates by location, and problems with locations that could not be read. */
export interface FileReport {
  readonly certificates: readonly LocatedCertificate[];
  readonly problems: readonly string[];
}

/** Extensions of files that are read in folders. */
const ENDINGS = [...CERTIFICATE_ENDINGS, ".p12", ".pfx"];
/** Maximum size of a file in bytes; larger ones are not certificates. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;
/**
 * Maximum length of a location. It is cut at the beginning, because the end of a path is more informative.
 */
const MAX_LOCATION_CHARS = 500;
/**
 * Maximum number of certificates of a file that are reported. Larger files are bundles of public roots, not
 * certificates of a server.
 */
const MAX_OF_FILE = MAX_PRESENTED;

/** Only these blocks of a file are read; a key next to them is ignored. */
const CERTIFICATE_BLOCK =
  /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;

/**
 * Reads files, folders, and patterns with `*` in any part of the path. `passwords` are those of PKCS#12
 * files.
 */
export async function filesReport(
  paths: readonly string[],
  passwords: readonly string[],
): Promise<FileReport> {
  const certificates: LocatedCertificate[] = [];
  const problems: string[] = [];
  for (const path of paths) {
    const found = await filesOf(path, problems);
    for (const file of found) {
      try {
        const presented = await readFile(file, passwords);
        addLocated({ location: file, presented }, { certificates, problems });
      } catch (error) {
        problems.push(`${file}: ${reasonOf(error)}`);
      }
    }
  }
  return { certificates, problems };
}

/**
 * Adds a certificate that the service will accept, otherwise a problem. The service would refuse a whole
 * report because of one invalid certificate.
 */
function addLocated(
  found: LocatedCertificate,
  { certificates, problems }: { certificates: LocatedCertificate[]; problems: string[] },
): void {
  const { location, presented } = found;
  const excess = presented.length === 0 ? "no certificate" : presentedExcess(presented);
  if (excess !== undefined) problems.push(`${location}: ${excess}`);
  else certificates.push({ ...found, location: location.slice(-MAX_LOCATION_CHARS) });
}

async function filesOf(path: string, problems: string[]): Promise<readonly string[]> {
  try {
    const { files, unreadable } = path.includes("*")
      ? { files: await matches(path), unreadable: [] }
      : await findFiles([path], ENDINGS);
    problems.push(...unreadable.map(({ folder, reason }) => `${folder}: ${reason}`));
    if (files.length === 0) problems.push(`${path}: no certificate files`);
    return files;
  } catch (error) {
    problems.push(`${path}: ${reasonOf(error)}`);
    return [];
  }
}

/** Returns the files that match a pattern. */
async function matches(pattern: string): Promise<string[]> {
  const full = isAbsolute(pattern) ? pattern : resolve(pattern);
  let folders = ["/"];
  const parts = full.split("/").filter((part) => part !== "");
  for (const [index, part] of parts.entries()) {
    const expression = new RegExp(`^${part.split("*").map(RegExp.escape).join("[^/]*")}$`);
    const next: string[] = [];
    for (const folder of folders) {
      const names = part.includes("*")
        ? (await namesIn(folder)).filter((name) => expression.test(name))
        : [part];
      // One by one, because a call cannot have as many arguments as a folder has files.
      for (const name of names) next.push(join(folder, name));
    }
    folders = next;
    if (index === parts.length - 1) break;
  }
  const files = await Promise.all(folders.map(async (path) => await isFile(path) ? [path] : []));
  return files.flat().sort();
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
  } catch {
    return [];
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isFile;
  } catch {
    return false;
  }
}

async function readFile(path: string, passwords: readonly string[]): Promise<string[]> {
  const { size, isFile: isRegular } = await Deno.stat(path);
  // Reading a pipe or a device might never end.
  if (!isRegular) throw new CommandError("Not a regular file.");
  if (size > MAX_FILE_BYTES) {
    throw new CommandError(`The file has ${size} bytes. At most ${MAX_FILE_BYTES} are read.`);
  }
  const bytes = await Deno.readFile(path);
  const found = await certificatesOfStore(bytes, passwords);
  return found?.slice(0, MAX_OF_FILE).map((der) => encodePem(der)) ?? certificatesIn(bytes);
}

/** Returns the certificates of PEM text, DER or PKCS#7 as PEM. */
function certificatesIn(bytes: Uint8Array): string[] {
  const text = new TextDecoder().decode(bytes);
  if (text.includes("-----BEGIN ")) {
    return (text.match(CERTIFICATE_BLOCK) ?? []).slice(0, MAX_OF_FILE).flatMap((block) =>
      readCertificates(block).members.map(({ certificate }) => encodePem(certificate.der))
    );
  }
  const { certificate } = parseCertificate(bytes);
  if (certificate !== undefined) return [encodePem(certificate.der)];
  return readCertificates(bytes).members.slice(0, MAX_OF_FILE).map(({ certificate }) =>
    encodePem(certificate.der)
  );
}

interface SecretList {
  readonly metadata?: { readonly continue?: string };
  readonly items: readonly {
    readonly metadata?: { readonly name?: string; readonly namespace?: string };
    readonly data?: { readonly "tls.crt"?: string };
  }[];
}

const PAGE = 200;

/** Reads the TLS secrets of a cluster. Private keys are dropped while the response is parsed. */
export async function kubernetesReport(
  { url, tokenFile, caFile }: { url: string; tokenFile: string; caFile: string },
): Promise<FileReport> {
  const certificates: LocatedCertificate[] = [];
  const problems: string[] = [];
  const token = (await readTextFile(tokenFile)).trim();
  const client = await isFile(caFile)
    ? Deno.createHttpClient({ caCerts: [await readTextFile(caFile)] })
    : undefined;
  try {
    for (let next: string | undefined = ""; next !== undefined;) {
      const list: SecretList = await secretPage({ url, token, client, next });
      for (const { metadata, data } of list.items) {
        const location = `kubernetes ${metadata?.namespace}/${metadata?.name}`;
        const presented = certificatesIn(decodeBase64(data?.["tls.crt"] ?? ""));
        addLocated({ location, presented }, { certificates, problems });
      }
      next = list.metadata?.continue || undefined;
    }
  } finally {
    client?.close();
  }
  return { certificates, problems };
}

async function secretPage(
  { url, token, client, next }: {
    url: string;
    token: string;
    client: Deno.HttpClient | undefined;
    next: string;
  },
): Promise<SecretList> {
  const query = new URLSearchParams({ fieldSelector: "type=kubernetes.io/tls", limit: String(PAGE) });
  if (next !== "") query.set("continue", next);
  const response = await fetchPatiently(`${url.replace(/\/+$/, "")}/api/v1/secrets?${query}`, {
    headers: { authorization: `Bearer ${token}`, accept: "application/json" },
    ...(client === undefined ? {} : { client }),
  }, {
    failed: failing(`The API server at ${url} cannot be reached`),
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new CommandError(`The API server at ${url} answered with status ${response.status}.`);
  }
  const text = await response.text();
  try {
    const list: SecretList = JSON.parse(text, (key, value) => key === "tls.key" ? undefined : value);
    if (Array.isArray(list.items)) return list;
  } catch {
    // The page of a proxy or of another server.
  }
  throw new CommandError(`The API server at ${url} sent something other than a list of secrets.`);
}

function decodeBase64(text: string): Uint8Array {
  try {
    return Uint8Array.fromBase64(text);
  } catch {
    return new Uint8Array();
  }
}
