/** `certmgr csr create`: generates a private key that stays on this machine, and a signing request for it. */

import { Command, Option } from "commander";
import { resolve } from "node:path";
import { AppError } from "../base/errors.ts";
import { certificates } from "../domain/certificates/mod.ts";
import { ALL_FIELDS, getObject } from "../resource/mod.ts";
import { readRequestedName, type RequestedName } from "../x509/mod.ts";
import { withDatabase } from "./database.ts";
import { fileExistsError } from "./draft_file.ts";
import { CommandError, failing, UsageError } from "./failure.ts";
import { TOKEN_OPTION } from "./options.ts";
import { printLines, printNote } from "./output.ts";
import { callService, type ServiceAddress, serviceAddress, ServiceRefusal } from "./service_client.ts";

/** Types of keys for which a request can be created. */
const KEY_TYPES = ["ecdsa-p256", "rsa-2048", "rsa-3072", "ed25519"] as const;
/** One of {@link KEY_TYPES}. */
export type KeyType = typeof KEY_TYPES[number];

/** Maximum length of a common name (RFC 5280, ub-common-name). */
const MAX_COMMON_NAME_CHARS = 64;

/** The names of a request. */
interface Names {
  readonly commonName: string;
  readonly names: readonly RequestedName[];
}

/** Reads `--for`. Errors: UsageError. */
function readCertificateId(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new UsageError(`Invalid certificate id ${JSON.stringify(text)}. Use the number in its "id" field.`);
}

/** Reads `--cn`. Errors: UsageError. */
function readCommonName(text: string): string {
  if (text.trim() !== "" && [...text].length <= MAX_COMMON_NAME_CHARS && !/\p{C}/u.test(text)) return text;
  throw new UsageError(
    `Invalid common name ${JSON.stringify(text)}. Use 1 to ${MAX_COMMON_NAME_CHARS} visible characters.`,
  );
}

/** Reads a `--san`. Errors: UsageError. */
function readSan(text: string): RequestedName {
  const name = readRequestedName(text);
  if (typeof name === "string") throw new UsageError(name);
  return name;
}

/**
 * Returns the names of a request: those of the options, and for missing ones those of an existing
 * certificate. If there is no alternative name, a common name that is a host name or an address becomes one.
 * Errors: UsageError, CommandError.
 */
async function requestedNames(
  { cn, san, certificate, service }: {
    cn: string | undefined;
    san: readonly RequestedName[];
    certificate: number | undefined;
    service: ServiceAddress | undefined;
  },
): Promise<Names> {
  const known = certificate === undefined ? undefined : await namesOf(certificate, service);
  const commonName = cn ?? known?.commonName;
  if (commonName === undefined) {
    throw new UsageError(
      "The request has no name. Use --cn <name>, or --for <id> of an existing certificate.",
    );
  }
  if (san.length > 0) return { commonName, names: san };
  if (known !== undefined && known.names.length > 0) return { commonName, names: known.names };
  const own = [commonName, `IP:${commonName}`].map(readRequestedName).find((name) =>
    typeof name !== "string"
  );
  return { commonName, names: own === undefined ? [] : [own] };
}

/** Returns the names of a certificate in the inventory. Errors: CommandError. */
async function namesOf(id: number, service: ServiceAddress | undefined): Promise<Names> {
  const { common_name, sans } = await readCertificate(id, service);
  try {
    return { commonName: readCommonName(common_name), names: sans.map(readSan) };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new CommandError(
      `Names of certificate ${id}: ${error.message} Set other names with --cn and --san.`,
    );
  }
}

interface Named {
  readonly common_name: string;
  readonly sans: readonly string[];
}

async function readCertificate(id: number, service: ServiceAddress | undefined): Promise<Named> {
  try {
    if (service !== undefined) return await callService(service, { path: `certificates/${id}/` });
    const { object } = await withDatabase(
      (ctx) => getObject({ ctx, resource: certificates, id, selection: ALL_FIELDS }),
      { otherwise: ", or a running service with --url" },
    );
    return object;
  } catch (error) {
    const missing = error instanceof ServiceRefusal && error.status === 404 ||
      error instanceof AppError && error.code === "not_found";
    if (!missing) throw error;
    throw new CommandError(`Certificate ${id} does not exist, or you may not view it.`);
  }
}

const HELP = `
Generates the key on this machine and writes it to a file that only you can read. The request
goes to standard output or to a file; with --url it is also registered in the inventory of a
running service. If a step fails, no file is left behind.

A name is a DNS name unless it has a prefix (IP:, email:, URI:). Without --san, the names of the
certificate given with --for are used, or the common name.

Examples:
  certmgr csr create --cn www.example.com --key-out www.key --out www.csr
  certmgr csr create --cn www.example.com --san www.example.com --san IP:192.0.2.10 --key-out www.key
  certmgr csr create --for 12 --key-type rsa-3072 --key-out www.key --out www.csr --url https://certs.example.com`;

interface Options {
  readonly cn?: string;
  readonly san: readonly RequestedName[];
  readonly for?: number;
  readonly keyType: KeyType;
  readonly keyOut: string;
  readonly out?: string;
  readonly url?: string;
  readonly token?: string;
}

export function csrCommand(): Command {
  const command = new Command("csr").description("prepare certificate signing requests");
  command.command("create").description("generate a private key and a certificate signing request")
    .option("--cn <name>", "common name of the subject", readCommonName)
    .option("--san <name>", "subject alternative name; may be repeated", collectSan, [])
    .option(
      "--for <id>",
      "id of the certificate to renew; it provides the names if --cn or --san is missing",
      readCertificateId,
    )
    .addOption(new Option("--key-type <type>").choices(KEY_TYPES).default(KEY_TYPES[0]))
    .requiredOption("--key-out <file>", "write the private key to this new file (PKCS#8, mode 0600)")
    .option("--out <file>", "write the request to this new file instead of standard output")
    .option("--url <address>", "service to register the request with (or set CERTMGR_URL)")
    .option(...TOKEN_OPTION)
    .addHelpText("after", HELP)
    .action(run);
  return command;
}

async function run({ cn, san, for: certificate, keyType, keyOut, out, ...options }: Options): Promise<void> {
  const service = serviceAddress(options);
  const paths = out === undefined ? [keyOut] : [keyOut, out];
  if (new Set(paths.map((path) => resolve(path))).size < paths.length) {
    throw new UsageError(
      `--key-out and --out are the same file, ${JSON.stringify(out)}. Use another name for --out.`,
    );
  }
  const names = await requestedNames({ cn, san, certificate, service });
  const { buildRequest } = await import("./build_request.ts");
  const { requestPem, keyPem } = await buildRequest({ ...names, keyType });
  const files: NewFile[] = [{ path: keyOut, text: keyPem, mode: 0o600 }];
  if (out !== undefined) files.push({ path: out, text: requestPem, mode: 0o644 });
  const registered = await withNewFiles(files, () => register({ requestPem, certificate }, service));
  printNote(`Wrote private key ${keyOut}`);
  if (out !== undefined) printNote(`Wrote request ${out}`);
  if (registered !== undefined) printNote(`Registered signing request ${registered.id} at ${service?.url}`);
  for (const warning of registered?.warnings ?? []) printNote(`Warning: ${warning.message}`);
  if (out === undefined) printLines(...requestPem.trimEnd().split("\n"));
}

interface Registered {
  readonly id: number;
  readonly warnings: readonly { readonly message: string }[];
}

async function register(
  { requestPem, certificate }: { requestPem: string; certificate: number | undefined },
  service: ServiceAddress | undefined,
): Promise<Registered | undefined> {
  if (service === undefined) return undefined;
  return await callService(service, {
    path: "csrs/import/",
    body: { pem_content: requestPem, renews: certificate },
  });
}

function collectSan(text: string, known: readonly RequestedName[]): readonly RequestedName[] {
  return [...known, readSan(text)];
}

/** A file to create. */
interface NewFile {
  readonly path: string;
  readonly text: string;
  /** Permissions, set when the file is created. */
  readonly mode: number;
}

/**
 * Creates the files, then runs `work`. If either fails, removes the files. Errors: CommandError (such as for a path
 * that exists, even as a link with a missing target), and those of `work`.
 */
async function withNewFiles<T>(files: readonly NewFile[], work: () => Promise<T>): Promise<T> {
  const made: string[] = [];
  try {
    for (const { path, text, mode } of files) {
      const failed = failing(`File ${JSON.stringify(path)} cannot be written`);
      using file = await Deno.open(path, { write: true, createNew: true, mode }).catch((error) => {
        if (error instanceof Deno.errors.AlreadyExists) throw fileExistsError(path);
        return failed(error instanceof Deno.errors.NotFound ? "its folder does not exist" : error);
      });
      made.push(path);
      const bytes = new TextEncoder().encode(text);
      for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at)).catch(failed);
      await file.sync();
    }
    return await work();
  } catch (error) {
    for (const path of made) await Deno.remove(path).catch(() => {});
    throw error;
  }
}
