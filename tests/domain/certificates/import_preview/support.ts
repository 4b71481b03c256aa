/** Shared helpers of the tests of previews. */

import { sql } from "drizzle-orm";
import type { Context } from "../../../../src/auth/mod.ts";
import { type Finding, textOf } from "../../../../src/base/findings.ts";
import { createPreview, type PreviewInput } from "../../../../src/domain/certificates/import_preview/mod.ts";
import { type As, granted, type GrantSpec, keyOf } from "../../../support/actors.ts";
import type { TestApp } from "../../../support/app.ts";
import { contextOf } from "../../../support/context.ts";

const TYPE = "certmgr.certificate";

/** Returns a user who may import many certificates within `constraints`, and view the objects to which they refer. */
export function bulkImporter(username = "importer", constraints?: unknown): Exclude<As, string> {
  const grants: GrantSpec[] = [
    {
      types: [TYPE],
      actions: ["view", "import", "bulk_operations"],
      ...(constraints === undefined ? {} : { constraints }),
    },
    { types: ["tenancy.tenant", "extras.tag"], actions: ["view"] },
  ];
  return granted(grants, { username });
}

/** Returns the context of an actor's operations; their permissions are in the database. */
export async function contextAs(app: TestApp, actor: Exclude<As, string>): Promise<Context> {
  await app.as(actor);
  const prefix = keyOf(actor).slice(0, 8);
  const [user] = await app.database.all<{ user_id: number }>(
    sql`SELECT user_id FROM tokens WHERE key_prefix = ${prefix}
      AND user_id = (SELECT id FROM users WHERE username = ${actor.username})`,
  );
  return await contextOf(app.ctx, (user as { user_id: number }).user_id);
}

/** Creates a preview with the defaults of the page, and returns its key. */
export async function preview(
  ctx: Context,
  content: string | Uint8Array,
  rest: Partial<PreviewInput> = {},
): Promise<string> {
  const { key } = await createPreview({
    ctx,
    input: { content, format: "auto", onDuplicate: "error", ...rest },
  });
  return key;
}

/** Returns the number of certificates. */
export async function certificateCount(ctx: Context): Promise<number> {
  const [row] = await ctx.database.all<{ n: number }>(sql`SELECT count(*) AS n FROM certificates`);
  return (row as { n: number }).n;
}

/** Returns the sentences of findings, or only of those about a field. */
export function textsOf(findings: readonly Finding[] = [], field?: string): string[] {
  return findings.filter((one) => field === undefined || one.field === field).map((one) => textOf(one));
}
