/** `certmgr csr create`: generates a private key that stays on this machine, and a signing request for it. */

import { resolve } from "node:path";
import { Command } from "commander";
import type { RequestedName } from "../x509/mod.ts";
import {
  KEY_TYPES,
  type KeyType,
  type Names,
  readCertificateId,
  readCommonName,
  readKeyType,
  readSan,
  requestedNames,
} from "./csr_names.ts";
import { UsageError } from "./failure.ts";
import { type NewFile, requireFree, withNewFiles } from "./new_files.ts";
import { printLines, printNote } from "./output.ts";
import { callService, type ServiceAddress, serviceAddress } from "./service_client.ts";

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

export function csrCreateCommand(): Command {
  return new Command("create").description("generate a private key and a certificate signing request")
    .option("--cn <name>", "common name of the subject", readCommonName)
    .option("--san <name>", "subject alternative name; may be repeated", collectSan, [])
    .option(
      "--for <id>",
      "id of a certificate that provides the names if --cn or --san is missing",
      readCertificateId,
    )
    .option("--key-type <type>", KEY_TYPES.join(", "), readKeyType, KEY_TYPES[0])
    .requiredOption("--key-out <file>", "write the private key to this new file (PKCS#8, mode 0600)")
    .option("--out <file>", "write the request to this new file instead of standard output")
    .option("--url <address>", "service to register the request with (or set CERTMGR_URL)")
    .option(
      "--token <key>",
      "API token for --url (prefer CERTMGR_TOKEN: other users can read the command line)",
    )
    .addHelpText("after", HELP)
    .action(run);
}

async function run({ cn, san, for: certificate, keyType, keyOut, out, ...options }: Options): Promise<void> {
  const service = serviceAddress(options);
  const paths = out === undefined ? [keyOut] : [keyOut, out];
  if (new Set(paths.map((path) => resolve(path))).size < paths.length) {
    throw new UsageError(
      `--key-out and --out are the same file, ${JSON.stringify(out)}. Use another name for --out.`,
    );
  }
  await requireFree(paths);
  const names = await requestedNames({ cn, san, certificate, service });
  const { requestPem, keyPem } = await build(names, keyType);
  const files: NewFile[] = [{ path: keyOut, text: keyPem, mode: 0o600 }];
  if (out !== undefined) files.push({ path: out, text: requestPem, mode: 0o644 });
  const registered = await withNewFiles(files, () => register(requestPem, service));
  printNote(`Wrote private key ${keyOut}`);
  if (out !== undefined) printNote(`Wrote request ${out}`);
  if (registered !== undefined) printNote(`Registered signing request ${registered.id} at ${service?.url}`);
  for (const warning of registered?.warnings ?? []) printNote(`Warning: ${warning.message}`);
  if (out === undefined) printLines(...requestPem.trimEnd().split("\n"));
}

/** Loads the library that builds requests only now, because no other command needs it. */
async function build(names: Names, keyType: KeyType): Promise<{ requestPem: string; keyPem: string }> {
  const { buildRequest } = await import("./build_request.ts");
  return await buildRequest({ ...names, keyType });
}

interface Registered {
  readonly id: number;
  readonly warnings: readonly { readonly message: string }[];
}

async function register(
  requestPem: string,
  service: ServiceAddress | undefined,
): Promise<Registered | undefined> {
  if (service === undefined) return undefined;
  return await callService(service, { path: "csrs/import/", body: { pem_content: requestPem } });
}

function collectSan(text: string, known: readonly RequestedName[]): readonly RequestedName[] {
  return [...known, readSan(text)];
}
