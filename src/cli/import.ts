/** `certmgr import`: imports certificates from files, folders and tables. */

import { Command, Option } from "commander";
import type { Context } from "../auth/mod.ts";
import { type ImportReport, ON_DUPLICATE } from "../domain/certificates/import/mod.ts";
import { CERTIFICATE_ENDINGS, findFiles, MAX_FILE_BYTES, readTexts } from "./certificate_files.ts";
import { withDatabase } from "./database.ts";
import { CommandError, EXIT, FileError, reasonOf, refusalText, UsageError } from "./failure.ts";
import { emptyReport, type FileReport, hasErrors, printReports } from "./file_report.ts";
import { importEndpointsCommand } from "./import_endpoints.ts";
import { importNetboxCommand } from "./import_netbox.ts";
import { type Duplicates, importBatch, type ImportTarget, importTarget } from "./import_table.ts";
import { readPasswords } from "./key_stores.ts";
import { collect, TOKEN_OPTION } from "./options.ts";
import { withProgress } from "./progress.ts";
import { type ServiceAddress, serviceAddress } from "./service_client.ts";
import { formatOfHead, readBatches, readHead, type TableFormat } from "./table_splitters.ts";

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
  certmgr import inventory.csv --on-duplicate update
  CERTMGR_TOKEN=… certmgr import *.pem --url https://certs.example.com --json`;

/** Number of rows of a table that are imported at once. */
const BATCH_ROWS = 100;
/** Maximum number of refused rows of a table that are listed. */
const MAX_REFUSALS = 1_000;

interface Options {
  readonly url?: string;
  readonly token?: string;
  readonly tenant?: string;
  readonly tag: readonly string[];
  readonly privateKeyLocation?: string;
  readonly pkcs12Passwords?: string;
  readonly onDuplicate: Duplicates["onDuplicate"];
  readonly overwrite: boolean;
  readonly json: boolean;
}

export function importCommand(): Command {
  return new Command("import").description("import certificates from files, folders and tables")
    .argument("<path...>", "files and folders")
    .option("--url <address>", "service to import into (or set CERTMGR_URL)")
    .option(...TOKEN_OPTION)
    .option("--tenant <name>", "tenant of the new certificates")
    .option("--tag <slug>", "tag of the new certificates; may be repeated", collect, [])
    .option("--private-key-location <text>", "where the private keys are stored (a note, not the keys)")
    .option("--pkcs12-passwords <file>", "file with the passwords of PKCS#12 files, one per line")
    .addOption(
      new Option("--on-duplicate <action>", "what to do with existing certificates")
        .choices(ON_DUPLICATE).default("skip"),
    )
    .option("--overwrite", "let --on-duplicate update replace values, too", false)
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
  const passwords = await readPasswords(options.pkcs12Passwords);
  const importAll = async (to: ServiceAddress | Context): Promise<FileReport[]> => {
    const how = { options, passwords, target: importTarget(to) };
    return await withProgress(async (show) => {
      const reports: FileReport[] = [];
      for (const [index, file] of files.entries()) {
        const report = emptyReport(file);
        const place = `${index + 1} of ${files.length} · ${file}`;
        show(place);
        reports.push(report);
        await importFile(report, { ...how, onRows: (rows) => show(`${place} · ${rows} rows`) });
      }
      return reports;
    });
  };
  const reports = service === undefined
    ? await withDatabase(importAll, { make: true })
    : await importAll(service);
  reports.push(
    ...unreadable.map(({ folder, reason }) => ({ ...emptyReport(folder), errors: [`${reason}.`] })),
  );
  printReports(reports, options.json);
  if (reports.length === 0) {
    throw new CommandError(`No certificate files found. Expected ${CERTIFICATE_ENDINGS.join(", ")}.`);
  }
  if (reports.some(hasErrors)) Deno.exitCode = EXIT.failed;
}

/** Returns the fields of new certificates from the options; tables have columns for them. */
function ownFields(
  options: Options,
): Partial<Record<"tenant" | "tags" | "private_key_location", unknown>> {
  return {
    ...(options.tenant === undefined ? {} : { tenant: { name: options.tenant } }),
    ...(options.tag.length === 0 ? {} : { tags: options.tag.map((slug) => ({ slug })) }),
    ...(options.privateKeyLocation === undefined ? {} : { private_key_location: options.privateKeyLocation }),
  };
}

interface ImportContext {
  readonly target: ImportTarget;
  readonly options: Options;
  /** Passwords of PKCS#12 files. */
  readonly passwords: readonly string[];
  /** Called with the number of rows of a table that were read. */
  readonly onRows: (rows: number) => void;
}

async function importFile(report: FileReport, how: ImportContext): Promise<void> {
  try {
    const format = await formatOf(report.file);
    if (format === undefined) await importTexts(report, how);
    else await importTable(report, { ...how, format });
  } catch (error) {
    if (error instanceof FileError) report.errors.push(error.message);
    // The file was removed in the meantime, or may not be read.
    else if (error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.NotFound) {
      report.errors.push(`${reasonOf(error)}.`);
    } else throw error;
  }
}

async function formatOf(file: string): Promise<TableFormat | undefined> {
  const { isFile, size } = await Deno.stat(file);
  return isFile ? formatOfHead(await readHead(file), { large: size > MAX_FILE_BYTES }) : undefined;
}

async function importTexts(report: FileReport, { target, options, passwords }: ImportContext): Promise<void> {
  const fields = {
    ...ownFields(options),
    split: true,
    on_duplicate: options.onDuplicate,
    ...(options.overwrite ? { overwrite: true } : {}),
  };
  for (const text of await readTexts(report.file, passwords)) {
    const answer = await target<ImportReport>("import", { ...fields, pem_content: text });
    if ("refusal" in answer) {
      report.errors.push(refusalText(answer.refusal));
      continue;
    }
    const { certificates, skipped, updated_count = 0, unchanged_count = 0 } = answer.report;
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
  { target, options, format, onRows }: ImportContext & { format: TableFormat },
): Promise<void> {
  if (Object.keys(ownFields(options)).length > 0) {
    throw new FileError(
      "A table has columns for tenant, tags and private_key_location. Omit these options.",
    );
  }
  const how = { target, format, duplicates: options };
  let rows = 0;
  for await (const batch of readBatches(file, { format, size: BATCH_ROWS })) {
    for (const { row, status, errors } of await importBatch(batch, how)) {
      rows++;
      counts[status]++;
      if (errors !== undefined && refusals.length < MAX_REFUSALS) {
        refusals.push(`Row ${row}: ${refusalText({ ...errors })}`);
      }
    }
    onRows(rows);
  }
  const more = counts.error - refusals.length;
  if (more > 0) refusals.push(`${more} more rows were refused. Correct these first.`);
}
