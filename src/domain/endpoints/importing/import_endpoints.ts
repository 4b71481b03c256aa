/**
 * Creates endpoints from a text. Existing ones are skipped, so that a corrected text can be imported again.
 */

import { z } from "zod";
import type { Context } from "../../../auth/mod.ts";
import { type FieldErrors, invalid } from "../../../base/errors.ts";
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
import { type ImportRow, resolveNames } from "../../certificates/import/mod.ts";
import { addressKey } from "../prepare.ts";
import { DUPLICATE_ENDPOINT, endpoints } from "../resource.ts";
import { ENDPOINT_COLUMNS, readEndpointDocument, type RowError } from "./read_document.ts";

/** Maximum length of a text: a thousand rows with descriptions. */
const MAX_CONTENT_CHARS = 1_048_576;

const EMPTY = "Expected at least one endpoint.";

const ImportInput = objectBody({
  content: z.string(expectedError("Expected text")).min(1, EMPTY).max(MAX_CONTENT_CHARS, {
    error: `Expected at most ${MAX_CONTENT_CHARS} characters.`,
  }).describe(
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
    const { rows, errors } = readEndpointDocument(content);
    const about = errors.filter(({ row }) => row === 0).map(({ message }) => message);
    if (about.length > 0) throw invalid({ content: about });
    if (rows.length + errors.length === 0) throw invalid({ content: [EMPTY] });
    const read = await readRows(ctx, rows);
    const stored = await ctx.database.write((tx) => {
      const call: WriteCall = { ctx, tx, resource: endpoints, allowed: allowed(endpoints) };
      return storeRows(call, read, dry_run);
    });
    if (stored.created > 0 && !dry_run) endpoints.afterCommit?.(ctx);
    return {
      created_count: stored.created,
      skipped_count: read.twice + stored.existing,
      errors: [...errors, ...read.errors, ...stored.errors].sort((a, b) => a.row - b.row),
      dry_run,
    };
  },
});

interface ReadRows {
  /** Rows that are valid before the database is read, each endpoint once, with their numbers. */
  readonly bodies: readonly { readonly place: number; readonly body: ParsedBody }[];
  readonly errors: readonly RowError[];
  /** Number of rows whose endpoint occurs earlier in the text. */
  readonly twice: number;
}

async function readRows(ctx: Context, given: readonly ImportRow[]): Promise<ReadRows> {
  const rows = await resolveNames({ ctx, tx: ctx.database }, given);
  const parsed = await parseObjects(endpoints, rows.map(({ body }) => body), "create");
  const errors: RowError[] = [];
  const bodies = new Map<string, ReadRows["bodies"][number]>();
  let twice = 0;
  for (const [index, body] of parsed.entries()) {
    const { place = 0, errors: own = {} } = rows[index] ?? {};
    const found = Object.keys(own).length > 0 ? own : body.errors;
    const { host, port, protocol, server_name = null } = body.input;
    const key = addressKey({ host, port, protocol, server_name });
    if (Object.keys(found).length > 0) errors.push(...rowErrors(place, found));
    else if (bodies.has(key)) twice++;
    else bodies.set(key, { place, body });
  }
  return { bodies: [...bodies.values()], errors, twice };
}

function rowErrors(row: number, found: FieldErrors): RowError[] {
  return Object.entries(found).flatMap(([field, messages]) =>
    messages.map((message) => ({ row, field, message }))
  );
}

interface StoredRows {
  readonly created: number;
  readonly existing: number;
  readonly errors: readonly RowError[];
}

async function storeRows(
  call: WriteCall,
  { bodies }: ReadRows,
  dryRun: boolean,
): Promise<StoredRows> {
  const drafts = await draftsOf(call, bodies.map(({ body }) => body));
  await validateDrafts(call, drafts);
  const fresh: Draft[] = [];
  const errors: RowError[] = [];
  let existing = 0;
  for (const [index, draft] of drafts.entries()) {
    const messages = Object.values(draft.errors).flat();
    if (messages.length === 0) fresh.push(draft);
    else if (messages.every((message) => message === DUPLICATE_ENDPOINT)) existing++;
    else errors.push(...rowErrors(bodies[index]?.place ?? 0, draft.errors));
  }
  if (fresh.length > 0 && !dryRun) await storeNew(call, fresh);
  return { created: fresh.length, existing, errors };
}
