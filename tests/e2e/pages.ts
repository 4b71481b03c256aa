/** All pages, from the table of routes, so that a new page is tested as soon as it is in the table. */

import { sql } from "drizzle-orm";
import { createPreview } from "../../src/domain/certificates/import_preview/mod.ts";
import { resources } from "../../src/domain/registry.ts";
import { listPath } from "../../src/web/paths.ts";
import { publicRoutes, routes } from "../../src/web/routes.ts";
import { contextOf } from "../support/context.ts";
import type { TestDatabase } from "../support/database.ts";
import { CHIEF, type Site } from "./support/site.ts";

/** A page to check. */
export interface PageUnderTest {
  /** Valid as a file name: `tenants-3-edit`. */
  readonly name: string;
  readonly path: string;
  /** Status of its response; 200 by default. */
  readonly status?: number;
}

/** Routes that return no page. */
const NO_PAGES: readonly RegExp[] = [
  // Suggestions while the user types: JSON.
  /^\/suggest\//,
  /^\/search\/results\/$/,
  // Redirects to a provider and back, and a link that works once.
  /^\/sign-in\/(begin|oidc|link)\//,
  /^\/notices\/respond\//,
  // Files.
  /\/(export|download|pem)\/$/,
  /\/(template|failed-rows)\.(csv|json)$/,
];

/** Other states of pages, in addition to the routes. */
const STATES: readonly PageUnderTest[] = [
  { name: "certificates-searched", path: "/certificates/?q=harbor&status=active&ordering=valid_to" },
  { name: "certificates-none", path: "/certificates/?q=there-is-no-such-name" },
  { name: "certificates-second-page", path: "/certificates/?offset=50" },
  { name: "certificates-wrong-filter", path: "/certificates/?statuss=active", status: 400 },
  { name: "no-such-page", path: "/there/is/no/such/page/", status: 404 },
  { name: "no-such-object", path: "/tenants/999999/", status: 404 },
];

/** Returns the id of the first object of each resource, by the path of its list. */
export async function firstIds(database: TestDatabase): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  for (const resource of resources) {
    const [row] = await database.all<{ id: number }>(
      sql`SELECT id FROM ${resource.table} ORDER BY id LIMIT 1`,
    );
    if (row !== undefined) ids.set(listPath(resource), row.id);
  }
  return ids;
}

/**
 * Returns all pages, as {@link CHIEF} sees them.
 * @param ids the object to show at each list's path (`/tenants/`).
 */
export async function pagesUnderTest(
  site: Pick<Site, "service" | "userOf">,
  ids: ReadonlyMap<string, number>,
): Promise<PageUnderTest[]> {
  const preview = await previewOf(site);
  const paths = [...publicRoutes, ...routes].filter(({ method }) => method === "GET").map(({ path }) => path)
    .filter((path) => !NO_PAGES.some((one) => one.test(path)));
  // If a list has no objects, only the list and the form of a new object are shown.
  const shown = [...new Set(paths)].filter((path) =>
    !path.includes(":id{") || ids.has(path.split(":")[0] as string)
  );
  const filled = shown.map((path) => {
    const id = ids.get(path.split(":")[0] as string);
    const concrete = path.replace(/:id\{[^}]*\}/, String(id)).replace(/:key\{[^}]*\}/, preview)
      .replace(/:place\{[^}]*\}/, "1");
    if (concrete.includes(":") || concrete.includes("undefined")) {
      throw new Error(`Page "${path}" has parameters without values. Add an object, or list it in NO_PAGES.`);
    }
    return { name: nameOf(path.replaceAll(/:(\w+)\{[^}]*\}/g, "one")), path: concrete };
  });
  return [...filled, ...STATES];
}

/** A table with valid and invalid rows. */
const TABLE = `common_name,serial_number,issuer,valid_from,valid_to,fingerprint_sha256,algorithm,tenant
good.example,0A:01,CN=Table CA,2026-01-01,2026-12-31,${"ab".repeat(32)},rsa,
"<script data-evil>1</script>",zz,CN=Table CA,2026-13-01,2025-12-31,12,dsa,nobody
`;

/** Creates a preview of the table and returns its key. */
async function previewOf({ service, userOf }: Pick<Site, "service" | "userOf">): Promise<string> {
  const ctx = await contextOf(service.ctx, await userOf(CHIEF));
  const input = { content: TABLE, format: "auto", onDuplicate: "error" } as const;
  return (await createPreview({ ctx, input })).key;
}

const LISTS: ReadonlySet<string> = new Set(resources.map(listPath));

/** Returns whether a page is a list with its default columns and rows. */
export function isList(path: string): boolean {
  return LISTS.has(path);
}

/**
 * Returns the kind of a page. Pages of one kind are made of the same components, with other fields: all lists, all
 * confirmations of a deletion. Other pages are of a separate kind each.
 */
export function kindOf(path: string): string {
  const [, list = "", rest = ""] = /^(\/[^/]+\/)(.*)$/.exec(path) ?? [];
  return isList(list) ? rest.replace(/^\d+/, ":id") : path;
}

function nameOf(path: string): string {
  return path.replaceAll(/[^a-z0-9]+/gi, "-").replaceAll(/^-|-$/g, "") || "dashboard";
}
