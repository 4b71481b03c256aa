/** `certmgr export`: exports certificates as a document. */

import { Command } from "commander";
import { resolve } from "node:path";
import { AppError } from "../base/errors.ts";
import { exportCertificates } from "../domain/certificates/export/export_certificates.ts";
import { FORMATS } from "../formats/mod.ts";
import { withDatabase } from "./database.ts";
import { failing, refusalText, UsageError } from "./failure.ts";
import { TOKEN_OPTION } from "./options.ts";
import { printNote, terminalText, unprintable } from "./output.ts";
import { withDraft } from "./draft_file.ts";
import { downloadFrom, serviceAddress, ServiceRefusal } from "./service_client.ts";

const HELP = `
Filters are those of the REST list of certificates. Without --url, certificates are read from the
configured database, any number of them; with it, from a running service, which limits their number
(CERTMGR_MAX_EXPORT_SIZE). The document is written to standard output, or to a file that appears
when it is complete.

Examples:
  certmgr export > certificates.json
  certmgr export --filter status=active --filter valid_to__lt=2027-01-01 --output soon.json
  certmgr export --format csv --fields common_name,valid_to --url https://certs.example.com`;

interface Options {
  readonly format: string;
  readonly output?: string;
  readonly filter: readonly (readonly [string, string])[];
  readonly fields?: string;
  readonly includePem: boolean;
  readonly includeChain: boolean;
  readonly url?: string;
  readonly token?: string;
}

export function exportCommand(): Command {
  return new Command("export").description("export certificates")
    .option("--format <name>", Object.keys(FORMATS).join(", "), "json")
    .option("--output <file>", "write to this file instead of standard output")
    .option("--filter <name=value>", "export only matching certificates; may be repeated", collectFilter, [])
    .option("--fields <names>", "fields to export, separated by commas")
    .option("--include-pem", "add the PEM text of each certificate (json, yaml)", false)
    .option("--no-include-chain", "leave out the chain of each certificate (pem)")
    .option("--url <address>", "service to export from (or set CERTMGR_URL)")
    .option(...TOKEN_OPTION)
    .addHelpText("after", HELP)
    .action(run);
}

async function run(options: Options): Promise<void> {
  try {
    await exportTo(options);
  } catch (error) {
    // An option, filter or field is invalid.
    if (error instanceof AppError && error.code === "invalid" && !("detail" in error.public)) {
      throw new UsageError(refusalText(error.public));
    }
    if (error instanceof ServiceRefusal && error.status === 400 && error.byField) {
      throw new UsageError(error.message);
    }
    throw error;
  }
}

async function exportTo(options: Options): Promise<void> {
  const service = serviceAddress(options);
  const params = parametersOf(options);
  if (service === undefined) {
    return await withDatabase(async (ctx) => {
      const { text } = await exportCertificates({ ctx, params, unlimited: true });
      await write(ReadableStream.from(text), options.output);
    }, { otherwise: ", or a running service with --url" });
  }
  const response = await downloadFrom(service, { path: "certificates/export/", params });
  const text = response.body?.pipeThrough(new TextDecoderStream("utf-8", { ignoreBOM: true }));
  await write(text ?? ReadableStream.from([]), options.output);
}

function parametersOf(options: Options): URLSearchParams {
  const params = new URLSearchParams({ format: options.format });
  for (const [name, value] of options.filter) params.append(name, value);
  if (options.fields !== undefined) params.append("fields", options.fields);
  if (options.includePem) params.append("include_pem", "true");
  if (!options.includeChain) params.append("include_chain", "false");
  return params;
}

async function write(text: ReadableStream<string>, path: string | undefined): Promise<void> {
  if (path !== undefined) return await (await isStream(path) ? writeStream : writeFile)(text, path);
  const shown = Deno.stdout.isTerminal() ? text.pipeThrough(terminalText()) : text;
  try {
    await copyText(shown, Deno.stdout, unprintable);
  } catch (error) {
    // A reader may stop reading (`… | head`).
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}

/**
 * Returns whether a path is a pipe or a device, which a file must not replace. Follows links of the system only: any
 * other may lead where its creator could not write.
 */
async function isStream(path: string): Promise<boolean> {
  const ofSystem = /^\/(dev|proc)\//.test(resolve(path));
  const found = await (ofSystem ? Deno.stat : Deno.lstat)(path).catch(() => undefined);
  return found !== undefined && !found.isDirectory && (ofSystem || !found.isFile && !found.isSymlink);
}

async function writeStream(text: ReadableStream<string>, path: string): Promise<void> {
  using file = await Deno.open(path, { write: true }).catch(unwritable(path));
  await copyText(text, file, unwritable(path));
}

/** Writes to a draft and renames it, so that no partial document has the final name. */
async function writeFile(text: ReadableStream<string>, path: string): Promise<void> {
  await withDraft(path, async (draft, finish) => {
    using file = await Deno.open(draft, { write: true, createNew: true }).catch(unwritable(path));
    await copyText(text, file, unwritable(path));
    finish();
    await Deno.rename(draft, path).catch(unwritable(path));
  });
  printNote(`Wrote ${path}`);
}

/**
 * Writes a document. `failed` converts the system's errors about the target. Errors of the document are
 * thrown unchanged.
 */
async function copyText(
  text: ReadableStream<string>,
  target: { write(bytes: Uint8Array): Promise<number> },
  failed: (error: unknown) => never,
): Promise<void> {
  for await (const bytes of text.pipeThrough(new TextEncoderStream())) {
    for (let at = 0; at < bytes.length;) at += await target.write(bytes.subarray(at)).catch(failed);
  }
}

/** Returns a function that throws an error with the requested name instead of the draft's. */
function unwritable(path: string): (error: unknown) => never {
  return failing(`File ${JSON.stringify(path)} cannot be written`);
}

function collectFilter(
  text: string,
  known: readonly (readonly [string, string])[],
): readonly (readonly [string, string])[] {
  const at = text.indexOf("=");
  if (at < 1) throw new UsageError(`Invalid filter ${JSON.stringify(text)}. Use <name>=<value>.`);
  return [...known, [text.slice(0, at), text.slice(at + 1)]];
}
