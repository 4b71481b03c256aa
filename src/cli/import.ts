/** `certmgr import`: imports certificates from files, folders and tables. */

import { SingleBar } from "cli-progress";
import { Command, Option } from "commander";
import type { Context } from "../auth/mod.ts";
import { ON_DUPLICATE } from "../domain/certificates/import/mod.ts";
import { CERTIFICATE_ENDINGS, findFiles, MAX_FILE_BYTES, readTexts } from "./certificate_files.ts";
import { withDatabase } from "./database.ts";
import { CommandError, EXIT, UsageError } from "./failure.ts";
import { emptyReport, type FileReport, hasErrors, printReports } from "./file_report.ts";
import { importEndpointsCommand } from "./import_endpoints.ts";
import { importNetboxCommand } from "./import_netbox.ts";
import { importInventory, isInventory } from "./import_inventory.ts";
import { openReport, type ReportFile } from "./import_report.ts";
import {
  databaseTable,
  type Duplicates,
  importBatch,
  serviceTable,
  type TableTarget,
} from "./import_table.ts";
import { type ImportTarget, textTarget } from "./import_target.ts";
import { readPasswords } from "./pkcs12.ts";
import { reasonOf } from "./reason.ts";
import { type ServiceAddress, serviceAddress } from "./service_client.ts";
import { readBatches, readHead, tableFormatOf } from "./table_file.ts";
import { TableError, type TableFormat } from "./table_splitters.ts";

const HELP = `
Recognizes files by their content: certificates as PEM, DER and PKCS#7, or in PKCS#12 and Java key
stores (JKS, JCEKS), whose keys are never read; and tables as CSV, JSON and YAML, as exports of this
service and of NetBox's certificate plugin write them. Each certificate becomes a separate record;
existing ones are skipped, or updated with --on-duplicate update. In folders, files named .pem .crt
.cer .cert .der .p7b .p7c .jks .jceks are read.
Without --url the configured database is written; with it, a running service imports.

A table may have any size: it is imported in batches, rows that are refused are reported, and the
others are stored. After an interruption, run the command again: stored rows are skipped.

Examples:
  certmgr import server.pem
  certmgr import /etc/ssl/certs --tenant Acme --tag imported
  certmgr import inventory.csv --on-duplicate update --report rows.jsonl
  CERTMGR_TOKEN=… certmgr import *.pem --url https://certs.example.com --json`;

/** Number of rows of a table that are imported at once. */
const BATCH_ROWS = 100;
/** Maximum number of errors of a file that are printed; the report file contains all. */
const MAX_SHOWN_ERRORS = 100;

interface Options {
  readonly url?: string;
  readonly token?: string;
  readonly tenant?: string;
  readonly tag: readonly string[];
  readonly privateKeyLocation?: string;
  readonly pkcs12Passwords?: string;
  readonly onDuplicate: Duplicates["onDuplicate"];
  readonly overwrite: boolean;
  readonly report?: string;
  readonly json: boolean;
}

/** Target of the import. */
interface Targets {
  readonly texts: ImportTarget;
  readonly tables: TableTarget;
  /** Absent if the target is a running service. */
  readonly ctx?: Context;
}

export function importCommand(): Command {
  return new Command("import").description("import certificates from files, folders and tables")
    .argument("<path...>", "files and folders")
    .option("--url <address>", "service to import into (or set CERTMGR_URL)")
    .option(
      "--token <key>",
      "API token for --url (prefer CERTMGR_TOKEN: other users can read the command line)",
    )
    .option("--tenant <name>", "tenant of the new certificates")
    .option("--tag <slug>", "tag of the new certificates; may be repeated", collect, [])
    .option("--private-key-location <text>", "where the private keys are stored (a note, not the keys)")
    .option("--pkcs12-passwords <file>", "file with the passwords of PKCS#12 files, one per line")
    .addOption(
      new Option("--on-duplicate <action>", "what to do with existing certificates")
        .choices(ON_DUPLICATE).default("skip"),
    )
    .option("--overwrite", "let --on-duplicate update replace values, too", false)
    .option("--report <file>", "write the result of each row of tables to a new file, as lines of JSON")
    .option("--json", "print JSON", false)
    .addHelpText("after", HELP)
    .action(run)
    .addCommand(importNetboxCommand())
    .addCommand(importEndpointsCommand());
}

async function run(paths: string[], options: Options): Promise<void> {
  if (options.overwrite && options.onDuplicate !== "update") {
    throw new UsageError("Option --overwrite needs --on-duplicate update.");
  }
  const service = serviceAddress(options);
  const { files, unreadable } = await findFiles(paths);
  await using report = options.report === undefined ? undefined : await openReport(options.report);
  const how = { report, options, passwords: await readPasswords(options.pkcs12Passwords) };
  const reports = service === undefined
    ? await withDatabase((ctx) => importFiles(files, { ...how, targets: targetsOf(ctx, options) }), {
      make: true,
    })
    : await importFiles(files, { ...how, targets: targetsOf(service, options) });
  reports.push(
    ...unreadable.map(({ folder, reason }) => ({ ...emptyReport(folder), errors: [`${reason}.`] })),
  );
  printReports(reports, options.json);
  if (reports.length === 0) {
    throw new CommandError(`No certificate files found. Expected ${CERTIFICATE_ENDINGS.join(", ")}.`);
  }
  if (reports.some(hasErrors)) Deno.exitCode = EXIT.failed;
}

function targetsOf(to: ServiceAddress | Context, options: Options): Targets {
  const fields = {
    ...ownFields(options),
    on_duplicate: options.onDuplicate,
    ...(options.overwrite ? { overwrite: true } : {}),
  };
  return {
    texts: textTarget(to, fields),
    ...("url" in to ? { tables: serviceTable(to) } : { tables: databaseTable(to), ctx: to }),
  };
}

/** Returns the fields of new certificates from the options; tables have columns for them. */
function ownFields(options: Options): Record<string, unknown> {
  return {
    ...(options.tenant === undefined ? {} : { tenant: { name: options.tenant } }),
    ...(options.tag.length === 0 ? {} : { tags: options.tag.map((slug) => ({ slug })) }),
    ...(options.privateKeyLocation === undefined ? {} : { private_key_location: options.privateKeyLocation }),
  };
}

interface ImportContext {
  readonly targets: Targets;
  readonly report: ReportFile | undefined;
  readonly options: Options;
  /** Passwords of PKCS#12 files. */
  readonly passwords: readonly string[];
}

async function importFiles(files: readonly string[], how: ImportContext): Promise<FileReport[]> {
  const bar = how.options.json || !Deno.stderr.isTerminal() ? undefined : new SingleBar({
    format: "{bar} {percentage}% · {file}",
    clearOnComplete: true,
    hideCursor: true,
  });
  const sizes = await Promise.all(files.map((file) => Deno.stat(file).then(({ size }) => size, () => 0)));
  // Empty files count as progress, too.
  bar?.start(sizes.reduce((sum, size) => sum + size + 1, 0), 0, { file: "" });
  const reports: FileReport[] = [];
  let done = 0;
  try {
    for (const [index, file] of files.entries()) {
      reports.push(await importFile(file, how, (bytes) => bar?.update(done + bytes, { file })));
      done += (sizes[index] ?? 0) + 1;
      bar?.update(done, { file });
    }
  } finally {
    bar?.stop();
  }
  return reports;
}

async function importFile(
  file: string,
  how: ImportContext,
  progress: (bytes: number) => void,
): Promise<FileReport> {
  const report = emptyReport(file);
  try {
    const format = await formatOf(file);
    if (format === "inventory") await importDocument(report, how, progress);
    else if (format === undefined) await importTexts(report, how);
    else await importTable(report, { ...how, format, progress });
  } catch (error) {
    if (error instanceof TableError) report.errors.push(error.message);
    // The file was removed in the meantime, or may not be read.
    else if (isFileError(error)) report.errors.push(`${reasonOf(error)}.`);
    else throw error;
  }
  return report;
}

function isFileError(error: unknown): boolean {
  return error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.NotFound;
}

async function formatOf(file: string): Promise<TableFormat | "inventory" | undefined> {
  const { isFile, size } = await Deno.stat(file);
  if (!isFile) return undefined;
  const head = await readHead(file);
  return isInventory(head) ? "inventory" : tableFormatOf(head, { large: size > MAX_FILE_BYTES });
}

async function importDocument(
  { file, counts, refusals }: FileReport,
  { targets: { ctx }, report }: ImportContext,
  progress: (bytes: number) => void,
): Promise<void> {
  if (ctx === undefined) {
    throw new TableError(
      "An inventory document is imported into the database directly. Leave out --url, and unset CERTMGR_URL.",
    );
  }
  const { created, updated, unchanged, refused } = await importInventory(ctx, file, progress);
  Object.assign(counts, { created, updated, unchanged, error: refused.length });
  for (const { kind, id, display, reason } of refused.slice(0, MAX_SHOWN_ERRORS)) {
    refusals.push(`${kind} ${id} (${display}): ${reason}`);
  }
  await report?.write(refused.map((one) => ({ file, status: "error", ...one })));
}

async function importTexts(report: FileReport, { targets, passwords }: ImportContext): Promise<void> {
  let texts: string[];
  try {
    texts = await readTexts(report.file, passwords);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    report.errors.push(error.message);
    return;
  }
  for (const text of texts) {
    const imported = await targets.texts(text);
    if ("refusal" in imported) {
      report.errors.push(imported.refusal);
      continue;
    }
    const { certificates, skipped, updated_count = 0, unchanged_count = 0 } = imported;
    report.created.push(
      ...certificates.map(({ id, common_name, serial_number }) => ({ id, common_name, serial_number })),
    );
    report.skipped.push(...skipped);
    report.counts.created += certificates.length;
    report.counts.updated += updated_count;
    report.counts.unchanged += unchanged_count;
    report.counts.skipped += skipped.length;
  }
}

async function importTable(
  { file, counts, refusals }: FileReport,
  { targets, report, options, format, progress }: ImportContext & {
    format: TableFormat;
    progress: (bytes: number) => void;
  },
): Promise<void> {
  if (Object.keys(ownFields(options)).length > 0) {
    throw new TableError(
      "A table has columns for tenant, tags and private_key_location. Omit these options.",
    );
  }
  const how = { target: targets.tables, format, duplicates: options };
  for await (const batch of readBatches(file, { format, size: BATCH_ROWS })) {
    const rows = await importBatch(batch, how);
    for (const row of rows) {
      counts[row.status]++;
      if (row.errors === undefined) continue;
      if (refusals.length < MAX_SHOWN_ERRORS) refusals.push(`Row ${row.row}: ${textOf(row.errors)}`);
    }
    await report?.write(rows.map((row) => ({ file, ...row })));
    progress(batch.read);
  }
  const more = counts.error - refusals.length;
  if (more > 0) refusals.push(`${more} more rows were refused. Use --report to see all.`);
}

function textOf(errors: Readonly<Record<string, readonly string[]>>): string {
  return Object.entries(errors).map(([field, messages]) =>
    field === "__all__" ? messages.join(" ") : `${field}: ${messages.join(" ")}`
  ).join(" ");
}

function collect(value: string, known: readonly string[]): readonly string[] {
  return [...known, value];
}
