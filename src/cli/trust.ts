/** `certmgr trust`: prints the trust data in force. */

import { Command } from "commander";
import { readConfig, readEnvironment } from "../config/mod.ts";
import { shippedTrust } from "../domain/trust/mod.ts";
import { printJson, printLines } from "./output.ts";
import { printTable } from "./print_table.ts";
import { readTrust, trustFileOf } from "./data_files.ts";

const HELP = `
CERTMGR_TRUST_FILE names a file that extends and corrects the shipped data; without it, trust.json in the data folder
is taken if it exists. An entry with "withdrawn": true removes the shipped one.

Examples:
  certmgr trust
  certmgr trust --json | jq '.distrust_after'`;

export function trustCommand(): Command {
  return new Command("trust").description("list keys, certificates and roots that are not trusted")
    .option("--json", "print JSON", false)
    .addHelpText("after", HELP)
    .action(run);
}

async function run({ json }: { json: boolean }): Promise<void> {
  const trustFile = await trustFileOf(readConfig(readEnvironment()));
  const { distrust, ...data } = trustFile === undefined ? shippedTrust() : await readTrust(trustFile);
  const about = {
    version: data.updated ?? "",
    source: trustFile === undefined ? "this release" : `this release, and ${trustFile}`,
    digest: distrust.digest,
  };
  if (json) return printJson({ ...about, ...data });
  printLines(`Version: ${about.version}`, `Source:  ${about.source}`, `Digest:  ${about.digest}`);
  printTable(["Not trusted", "Name", "Reason", "Source"], [
    ...data.distrusted_keys.map((one) => [`key ${short(one.spki_sha256)}`, one.name, one.reason, one.source]),
    ...data.distrusted_certificates.map((one) => [
      "issuer" in one ? `serial number ${one.serial_number}` : `certificate ${short(one.fingerprint_sha256)}`,
      one.name || ("issuer" in one ? one.issuer : ""),
      one.reason,
      one.source,
    ]),
    ...data.distrust_after.map((one) => [
      `issued after ${one.not_before_after}`,
      one.name,
      one.reason,
      one.source,
    ]),
    ...data.not_for_servers.map((one) => ["for servers", one.name, one.reason, one.source]),
    ...data.public_roots.map((one) => ["(is a public root)", one.name, one.reason, one.source]),
  ]);
}

function short(hash: string): string {
  return `${hash.slice(0, 16)}…`;
}
