/** `certmgr import endpoints`: imports endpoints from a CSV table, or from a list with one per line. */

import { Command } from "commander";
import { MAX_BULK_OBJECTS } from "../base/limits.ts";
import { importEndpoints } from "../domain/endpoints/importing/import_endpoints.ts";
import { withDatabase } from "./database.ts";
import { EXIT } from "./failure.ts";
import { printJson, printLines, printNote } from "./output.ts";
import { readTextFile } from "./options.ts";
import { callService, serviceAddress } from "./service_client.ts";

const HELP = `
Each line is a host with an optional port and protocol (www.example.com, 10.0.0.5:8443,
mail.example.com:25/smtp); "#" begins a comment. A table has the column host, and any of port,
server_name, protocol, tenant, tags, description, enabled, interval_minutes. Endpoints that exist
are skipped. Without --url the configured database is written.

Examples:
  certmgr import endpoints hosts.txt
  CERTMGR_TOKEN=… certmgr import endpoints endpoints.csv --url https://certs.example.com --dry-run`;

interface Options {
  readonly url?: string;
  readonly token?: string;
  readonly dryRun: boolean;
  readonly json: boolean;
}

interface Imported {
  readonly created_count: number;
  readonly skipped_count: number;
  readonly errors: readonly { readonly row: number; readonly field: string; readonly message: string }[];
}

export function importEndpointsCommand(): Command {
  return new Command("endpoints").description("import endpoints from CSV, or from a list with one per line")
    .argument("<file>", "text file with the endpoints")
    .option("--url <address>", "service to import into (or set CERTMGR_URL)")
    .option("--token <key>", "API token for --url (prefer CERTMGR_TOKEN)")
    .option("--dry-run", "report what would be done, and write nothing", false)
    .option("--json", "print JSON", false)
    .addHelpText("after", HELP)
    .action(run);
}

async function run(path: string, options: Options): Promise<void> {
  const service = serviceAddress(options);
  const text = await readTextFile(path);
  const errors: Imported["errors"][number][] = [];
  const total = { created_count: 0, skipped_count: 0, errors };
  const add = (part: Imported, before: number): void => {
    total.created_count += part.created_count;
    total.skipped_count += part.skipped_count;
    total.errors.push(...part.errors.map((one) => ({ ...one, row: one.row + before })));
  };
  const bodies = partsOf(text).map(({ content, before }) => ({
    body: { content, dry_run: options.dryRun },
    before,
  }));
  if (service === undefined) {
    await withDatabase(async (ctx) => {
      for (const { body, before } of bodies) add(await importEndpoints({ ctx, input: body }), before);
    }, { make: true });
  } else {
    for (const { body, before } of bodies) {
      add(await callService(service, { path: "endpoints/import/", body }), before);
    }
  }
  if (options.json) printJson({ ...total, dry_run: options.dryRun });
  else {
    const created = options.dryRun ? "to create" : "created";
    printLines(`${total.created_count} ${created}, ${total.skipped_count} skipped`);
    for (const { row, field, message } of total.errors) printNote(`Row ${row}, ${field}: ${message}`);
  }
  if (total.errors.length > 0) Deno.exitCode = EXIT.failed;
}

/** A part of the text, and the number of rows before it. */
interface Part {
  readonly content: string;
  readonly before: number;
}

/**
 * Divides a long text into parts that fit into a request, each with the header of the table. Texts with
 * quotes are not divided, because quoted cells may contain line breaks.
 */
function partsOf(text: string): Part[] {
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|\r|\n/);
  if (lines.length <= MAX_BULK_OBJECTS || text.includes('"')) return [{ content: text, before: 0 }];
  const isTable = (lines[0] ?? "").split(/[,;\t]/).some((name) => name.trim() === "host");
  const [header, rows] = isTable ? [`${lines[0]}\n`, lines.slice(1)] : ["", lines];
  return Array.from({ length: Math.ceil(rows.length / MAX_BULK_OBJECTS) }, (_, index) => {
    const before = index * MAX_BULK_OBJECTS;
    return { content: header + rows.slice(before, before + MAX_BULK_OBJECTS).join("\n"), before };
  }).filter(({ content }) => content.slice(header.length).trim() !== "");
}
