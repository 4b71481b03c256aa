/**
 * Creates endpoints from a text. Existing ones are skipped, so that a corrected text can be imported again.
 */

import { z } from "zod";
import type { Context } from "../../../auth/mod.ts";
import { invalid, invalidField } from "../../../base/errors.ts";
import { type Finding, issue, rowMessages } from "../../../base/findings.ts";
import { objectBody, operation } from "../../../operation/mod.ts";
import {
  type Draft,
  draftsOf,
  expectedError,
  type ParsedBody,
  parseObjects,
  storeNew,
  validateDrafts,
  type WriteCall,
} from "../../../resource/mod.ts";
import { MAX_BULK_OBJECTS } from "../../../base/limits.ts";
import { resolveNames } from "../../certificates/import/mod.ts";
import { addressKey } from "../prepare.ts";
import { endpoints } from "../resource.ts";
import { ENDPOINT_COLUMNS, type GivenEndpoint, readEndpointDocument } from "./read_document.ts";

/** Maximum length of a text: a thousand rows with descriptions. */
const MAX_CONTENT_CHARS = 1_048_576;

const ImportInput = objectBody({
  content: z.string(expectedError("Expected text")).min(1, issue("expected_some", { thing: "endpoint" })).max(
    MAX_CONTENT_CHARS,
    issue("unexpected", { expected: `at most ${MAX_CONTENT_CHARS} characters` }),
  ).describe(
    `One endpoint on each line (\`www.example.com\`, \`10.0.0.5:8443\`, \`mail.example.com:25/smtp\`; \`#\` begins a comment), ` +
      `or a CSV table whose first row names its columns: ${
        ENDPOINT_COLUMNS.map((name) => `\`${name}\``).join(", ")
      }. Only \`host\` is required. Tenants are named by name, slug or id, tags by slug or name with \`;\` in between. ` +
      `At most ${MAX_BULK_OBJECTS} endpoints.`,
  ),
  dry_run: z.boolean(expectedError("Expected true or false")).default(false).describe("Store nothing."),
});

const Imported = z.object({
  created_count: z.int(),
  skipped_count: z.int().describe("Endpoints that exist already, or that the text has twice."),
  errors: z.array(z.object({
    row: z.int().describe("Line, or row of the table without its header."),
    field: z.string(),
    message: z.string(),
  })).describe("Rows that were not stored, and why."),
  dry_run: z.boolean(),
});

/**
 * Creates endpoints from a text. Invalid rows are listed in `errors`, the others are stored. Needs `add`; if
 * its constraints exclude any row, nothing is stored. Errors: forbidden, invalid (the text as a whole).
 */
export const importEndpoints = operation({
  needs: [["add", endpoints]],
  input: ImportInput,
  output: Imported,
  run: async ({ ctx, allowed, input: { content, dry_run } }) => {
    const { rows } = await importRows(ctx, allowed(endpoints), { content, dry_run });
    const count = (status: EndpointRow["status"]): number =>
      rows.filter((row) => row.status === status).length;
    return {
      created_count: count("create"),
      skipped_count: count("skip"),
      errors: rowMessages(rows.flatMap(({ place, errors }) => errors.map((one) => ({ ...one, row: place })))),
      dry_run,
    };
  },
});

/** A row of a text, and what becomes of it. */
export interface EndpointRow {
  readonly place: number;
  readonly status: "create" | "skip" | "error";
  /** The endpoint as a text; empty if it cannot be read. */
  readonly name: string;
  readonly errors: readonly Finding[];
  /** The created endpoint. */
  readonly id?: number;
}

/** Works like {@link importEndpoints}, and returns what becomes of each row. */
export const importEndpointRows = operation({
  needs: [["add", endpoints]],
  input: ImportInput,
  output: z.object({ rows: z.array(z.custom<EndpointRow>()) }),
  run: ({ ctx, allowed, input }) => importRows(ctx, allowed(endpoints), input),
});

async function importRows(
  ctx: Context,
  allowed: WriteCall["allowed"],
  { content, dry_run }: z.output<typeof ImportInput>,
): Promise<{ rows: EndpointRow[] }> {
  const { rows, errors } = readEndpointDocument(content);
  const about = errors.filter(({ row }) => row === 0);
  if (about.length > 0) throw invalid(about.map((one) => ({ ...one, field: "content" })));
  if (rows.length + errors.length === 0) {
    throw invalidField("content", "expected_some", { thing: "endpoint" });
  }
  const read = await readRows(ctx, rows);
  const stored = await ctx.database.write((tx) =>
    storeRows({ ctx, tx, resource: endpoints, allowed }, read.bodies, dry_run)
  );
  if (!dry_run && stored.some(({ status }) => status === "create")) endpoints.hooks?.afterCommit?.(ctx);
  const unread = Map.groupBy(errors, ({ row }) => row);
  return {
    rows: [
      ...read.others,
      ...stored,
      ...[...unread].map(([place, own]) => ({ place, status: "error" as const, name: "", errors: own })),
    ].sort((a, b) => a.place - b.place),
  };
}

interface ReadRows {
  /** Rows that are valid before the database is read, each endpoint once, with their numbers. */
  readonly bodies: readonly { readonly place: number; readonly body: ParsedBody }[];
  /** Rows with errors, and those whose endpoint occurs earlier in the text. */
  readonly others: readonly EndpointRow[];
}

async function readRows(ctx: Context, given: readonly GivenEndpoint[]): Promise<ReadRows> {
  const rows = await resolveNames({ ctx, tx: ctx.database }, given);
  const parsed = await parseObjects(endpoints, rows.map(({ body }) => body), "create");
  const others: EndpointRow[] = [];
  const bodies = new Map<string, ReadRows["bodies"][number]>();
  for (const [index, body] of parsed.entries()) {
    const { place = 0, errors: own = [] } = rows[index] ?? {};
    const found = own.length > 0 ? own : body.errors;
    const { host, port, protocol, server_name = null } = body.input;
    const key = addressKey({ host, port, protocol, server_name });
    const name = nameOf(body.input);
    if (found.length > 0) others.push({ place, status: "error", name, errors: found });
    else if (bodies.has(key)) others.push({ place, status: "skip", name, errors: [] });
    else bodies.set(key, { place, body });
  }
  return { bodies: [...bodies.values()], others };
}

/** Returns an endpoint as lists show it. */
function nameOf({ host = "", port, protocol = "tls" }: ParsedBody["input"]): string {
  if (host === "") return "";
  const address = String(host).includes(":") ? `[${host}]` : String(host);
  return `${address}${port === undefined ? "" : `:${port}`}${protocol === "tls" ? "" : ` (${protocol})`}`;
}

async function storeRows(
  call: WriteCall,
  bodies: ReadRows["bodies"],
  dryRun: boolean,
): Promise<EndpointRow[]> {
  const drafts = await draftsOf(call, bodies.map(({ body }) => body));
  await validateDrafts(call, drafts);
  const exists = ({ errors }: Draft): boolean =>
    errors.length > 0 && errors.every(({ code }) => code === "not_unique");
  const fresh = drafts.filter(({ errors }) => errors.length === 0);
  const stored = fresh.length > 0 && !dryRun ? await storeNew(call, fresh) : [];
  const ids = new Map(fresh.map((draft, index) => [draft, stored[index]?.id]));
  return drafts.map((draft, index): EndpointRow => {
    const { place = 0, body = draft } = bodies[index] ?? {};
    const [name, id] = [nameOf(body.input), ids.get(draft)];
    if (exists(draft)) return { place, status: "skip", name, errors: [] };
    if (draft.errors.length > 0) return { place, status: "error", name, errors: draft.errors };
    return { place, status: "create", name, errors: [], ...(id === undefined ? {} : { id: Number(id) }) };
  });
}
