/** Every page there is, out of the table of routes: a new one is under test as soon as it is in that table. */

import { publicRoutes } from "../../src/web/account/mod.ts";
import { ID } from "../../src/web/call.ts";
import { routes } from "../../src/web/routes.ts";

/** A page to be looked at. */
export interface PageUnderTest {
  /** Fit for a file's name: `tenants-3-edit`. */
  readonly name: string;
  readonly path: string;
  /** Status of its answer; 200 unless said. */
  readonly status?: number;
}

/** Addresses that give no page to look at. */
const NO_PAGES: readonly RegExp[] = [
  // Suggestions while somebody types: JSON.
  /^\/suggest\//,
  // Files.
  /\/export\/$/,
];

/** Pages that are worth a look beside the routes themselves: other states of them. */
const STATES: readonly PageUnderTest[] = [
  { name: "certificates-searched", path: "/certificates/?q=harbor&status=active&ordering=valid_to" },
  { name: "certificates-none", path: "/certificates/?q=there-is-no-such-name" },
  { name: "certificates-second-page", path: "/certificates/?offset=50" },
  { name: "certificates-wrong-filter", path: "/certificates/?statuss=active", status: 400 },
  { name: "no-such-page", path: "/there/is/no/such/page/", status: 404 },
  { name: "no-such-object", path: "/tenants/999999/", status: 404 },
];

/**
 * All of them.
 * @param idAt id of an object to show at a list's path (`/tenants/`), undefined where there is none.
 */
export function pagesUnderTest(idAt: (listPath: string) => number | undefined): PageUnderTest[] {
  const paths = [...publicRoutes, ...routes].filter(({ method }) => method === "GET").map(({ path }) => path)
    .filter((path) => !NO_PAGES.some((one) => one.test(path)));
  const filled = [...new Set(paths)].map((path) => {
    const list = path.split(":")[0] as string;
    const concrete = path.replace(ID, String(idAt(list)));
    if (concrete.includes(":") || concrete.includes("undefined")) {
      throw new Error(`Page "${path}" cannot be filled, want an object to show or a place in NO_PAGES`);
    }
    return { name: nameOf(path.replace(`/${ID}`, "-one")), path: concrete };
  });
  return [...filled, ...STATES];
}

function nameOf(path: string): string {
  return path.replaceAll(/[^a-z0-9]+/gi, "-").replaceAll(/^-|-$/g, "") || "dashboard";
}
