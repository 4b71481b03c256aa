/** `certmgr import`: files and folders of certificates into the inventory. */

import { SingleBar } from "cli-progress";
import { Command } from "commander";
import { findFiles, readTexts } from "./certificate_files.ts";
import { withDatabase } from "./database.ts";
import { CommandError, EXIT } from "./failure.ts";
import { databaseTarget, type Imported, type ImportTarget, serviceTarget } from "./import_target.ts";
import { printJson, printTable } from "./output.ts";
import { serviceAddress } from "./service_client.ts";

const HELP = `
Reads PEM, DER and PKCS#7 files. Each certificate becomes a separate record; existing ones are
skipped. In folders, files named .pem .crt .cer .cert .der .p7b .p7c are read. Without --url the
configured database is written; with it, a running service imports.

Examples:
  certmgr import server.pem
  certmgr import /etc/ssl/certs --tenant Acme --tag imported
  CERTMGR_TOKEN=… certmgr import *.pem --url https://certs.example.com --json`;

interface Options {
  readonly url?: string;
  readonly token?: string;
  readonly tenant?: string;
  readonly tag: readonly string[];
  readonly privateKeyLocation?: string;
  readonly json: boolean;
}

/** What one file came to. */
interface FileReport {
  readonly file: string;
  readonly created: Imported["created"][number][];
  readonly skipped: Imported["skipped"][number][];
  readonly errors: string[];
}

/** The command. */
export function importCommand(): Command {
  return new Command("import").description("import certificates from files and folders")
    .argument("<path...>", "files and folders")
    .option("--url <address>", "service to import through (or set CERTMGR_URL)")
    .option(
      "--token <key>",
      "API token for --url (prefer CERTMGR_TOKEN: other users can read the command line)",
    )
    .option("--tenant <name>", "tenant of the new certificates")
    .option("--tag <slug>", "tag of the new certificates; may be repeated", collect, [])
    .option("--private-key-location <text>", "where the private keys are stored (a note, not the keys)")
    .option("--json", "print JSON", false)
    .addHelpText("after", HELP)
    .action(run);
}

async function run(paths: string[], options: Options): Promise<void> {
  const service = serviceAddress(options);
  const files = await findFiles(paths);
  const fields = {
    ...(options.tenant === undefined ? {} : { tenant: { name: options.tenant } }),
    ...(options.tag.length === 0 ? {} : { tags: options.tag.map((slug) => ({ slug })) }),
    ...(options.privateKeyLocation === undefined ? {} : { private_key_location: options.privateKeyLocation }),
  };
  const reports = service === undefined
    ? await withDatabase(
      (ctx) => importFiles(files, { target: databaseTarget(ctx, fields), quiet: options.json }),
      { make: true },
    )
    : await importFiles(files, { target: serviceTarget(service, fields), quiet: options.json });
  report(reports, options.json);
  if (files.length === 0) throw new CommandError("No certificate files found.");
  if (reports.some(({ errors }) => errors.length > 0)) Deno.exitCode = EXIT.failed;
}

async function importFiles(
  files: readonly string[],
  { target, quiet }: { target: ImportTarget; quiet: boolean },
): Promise<FileReport[]> {
  const bar = quiet || !Deno.stderr.isTerminal() ? undefined : new SingleBar({
    format: "{bar} {value}/{total} files",
    clearOnComplete: true,
    hideCursor: true,
  });
  bar?.start(files.length, 0);
  const reports: FileReport[] = [];
  try {
    for (const file of files) {
      reports.push(await importFile(file, target));
      bar?.increment();
    }
  } finally {
    bar?.stop();
  }
  return reports;
}

async function importFile(file: string, target: ImportTarget): Promise<FileReport> {
  const report: FileReport = { file, created: [], skipped: [], errors: [] };
  let texts: string[];
  try {
    texts = await readTexts(file);
  } catch (error) {
    if (!(error instanceof CommandError || error instanceof Deno.errors.PermissionDenied)) throw error;
    report.errors.push(error.message);
    return report;
  }
  for (const text of texts) {
    const { created, skipped, refusal } = await target(text);
    report.created.push(...created);
    report.skipped.push(...skipped);
    if (refusal !== undefined) report.errors.push(refusal);
  }
  return report;
}

function report(reports: readonly FileReport[], json: boolean): void {
  const sum = (count: (one: FileReport) => number): number =>
    reports.reduce((all, one) => all + count(one), 0);
  const counts = {
    files: reports.length,
    created_count: sum(({ created }) => created.length),
    skipped_count: sum(({ skipped }) => skipped.length),
    failed_count: sum(({ errors }) => errors.length > 0 ? 1 : 0),
  };
  if (json) return printJson({ ...counts, results: reports });
  printTable(["Files", "Created", "Skipped", "Files failed"], [Object.values(counts)]);
  const failures = reports.flatMap(({ file, errors }) => errors.map((error) => [file, error]));
  if (failures.length > 0) printTable(["File", "Error"], failures);
}

function collect(value: string, known: readonly string[]): readonly string[] {
  return [...known, value];
}
