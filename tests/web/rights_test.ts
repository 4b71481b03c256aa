/**
 * Every action of a page on a row that is hidden, or belongs to another tenant: the same response as for a missing row,
 * and nothing changes.
 */

import assert from "node:assert/strict";
import { resources } from "../../src/domain/registry.ts";
import type { Resource } from "../../src/resource/mod.ts";
import { listPath } from "../../src/web/paths.ts";
import { routes } from "../../src/web/routes.ts";
import { type TestApp, testApp } from "../support/app.ts";
import {
  enableMessages,
  MISSING,
  noProbe,
  rowOfOtherTenant,
  storedState,
  viewing,
} from "../support/rights.ts";
import { sampleOf } from "../support/samples.ts";
import { seed } from "../support/seed.ts";
import { type Answer, type Browser, browserOf, type Fields } from "./imports/browser.ts";

/** Fields of the form of each action on selected rows, by the end of its path. */
const SELECTING: Readonly<Record<string, readonly Fields[]>> = {
  "delete/": [{}, { confirmed: "on" }],
  "bulk-edit/": [{}, { confirmed: "on", description: "x", set: "description" }],
  "bulk/": [
    { action: "status", status: "revoked", confirmed: "on" },
    ...["validate", "check", "assign", "contact"].map((action) => ({ action })),
    { action: "export", format: "csv" },
    {
      action: "assign_to",
      assigned_object_type: "dcim.device",
      assigned_object_id: String(seed.devices.spare),
    },
    {
      action: "contact_to",
      contact: String(seed.contacts.web),
      role: String(seed.contactRoles.owner),
    },
  ],
  "archive/": [{}],
  "/endpoints/probe/": [{}],
  "csrs/status/": [{ status: "approved" }, {
    status: "rejected",
    reason: "No",
  }],
  "move/": [{ target: String(seed.tenants.acme), confirmed: "on" }],
};

/** Actions that name no row that could be hidden: new rows, imports (also those of a preview by its key), the caller's own account, undoing by request. */
const NAMING_NONE = [
  "new/",
  "enter/",
  "undo/",
  "undo-edit/",
  "/endpoints/import/",
  "/preferences/lists/",
  "/certificates/add/",
  "/certificates/add/store/",
];

/** Fields that the forms of actions on one row have. */
const ONE: Fields = {
  confirmed: "on",
  status: "approved",
  certificate: String(seed.certificates.acmeWeb),
  action: "acknowledge",
  reason: "No",
  policy_ids: "",
};

interface PageAction {
  readonly path: string;
  readonly forms: readonly Fields[];
  readonly isItem: boolean;
}

function actionsOf(resource: Resource): PageAction[] {
  const base = listPath(resource);
  return routes.filter(({ method, path }) => method === "POST" && path.startsWith(base)).flatMap(
    ({ path }): PageAction[] => {
      if (path.includes(":id")) {
        const texts = Object.entries(sampleOf(resource).change ?? {}).filter((
          [, value],
        ) => typeof value === "string");
        return [{
          path,
          forms: [{}, { ...Object.fromEntries(texts) as Fields, ...ONE }],
          isItem: true,
        }];
      }
      if (
        NAMING_NONE.some((end) => path.endsWith(end)) || path.includes(":key")
      ) return [];
      const [, forms] = Object.entries(SELECTING).find(([end]) => path.endsWith(end)) ?? [];
      assert.ok(
        forms,
        `Add the fields of ${path}, or that it names no row, to this test`,
      );
      return [{ path, forms, isItem: false }];
    },
  );
}

async function send(
  browser: Browser,
  { path, isItem }: PageAction,
  fields: Fields,
  id: number,
): Promise<string> {
  const answer: Answer = await browser.post(
    path.replace(":id{[0-9]+}", String(id)),
    isItem ? fields : { ...fields, ids: String(id) },
  );
  const cookie = decodeURIComponent(answer.headers.get("set-cookie") ?? "");
  const shown = `${answer.status} ${answer.location} ${cookie} ${answer.html}`;
  // Form tokens and ids of requests always differ, and the two requests name different ids.
  return shown.replaceAll(/value="[\w-]{115}"/g, "").replaceAll(
    /[0-9a-f-]{36}/g,
    "",
  ).replaceAll(
    new RegExp(`\\b${id}\\b`, "g"),
    "#",
  );
}

/** Replaces the ids of the rows of a test, which are short numbers. */
function plain(text: string): string {
  return text.replaceAll(/\d+|#/g, "#");
}

async function looksMissing(
  app: TestApp,
  browser: Browser,
  { id, resource, faults }: {
    id: number;
    resource: Resource;
    faults: string[];
  },
): Promise<number> {
  const state = storedState(app.database);
  const own = actionsOf(resource);
  for (const action of own) {
    for (const fields of action.forms) {
      const title = `${action.path} ${JSON.stringify(fields).slice(0, 80)}`;
      const before = await state();
      const hidden = await send(browser, action, fields, id);
      if (await state() !== before) faults.push(`${title} changes ${id}`);
      const missing = await send(browser, action, fields, MISSING);
      if (plain(hidden) !== plain(missing)) {
        faults.push(
          `${title}: ${hidden.slice(0, 120)} … ${missing.slice(0, 120)}`,
        );
      }
      if (/^(?:200|303 \S+ \S*success)/.test(hidden) && action.isItem) {
        faults.push(`${title}: ${hidden.slice(0, 90)}`);
      }
    }
  }
  return own.length;
}

for (const resource of resources) {
  const { objectType, label } = resource;
  Deno.test(`Every page action on a hidden ${label} responds as for a missing one and changes nothing`, async () => {
    await using app = await testApp({ probe: noProbe });
    await enableMessages(app);
    const faults: string[] = [];
    const { hidden: id } = sampleOf(resource);
    const limited = await browserOf(
      app,
      viewing(objectType, { id__n: id }, "limited"),
    );
    await looksMissing(app, limited, { id, resource, faults });
    const other = await rowOfOtherTenant(app, resource);
    if (other !== undefined) {
      const acme = await browserOf(
        app,
        viewing(objectType, { tenant_id: seed.tenants.acme }, "acme"),
      );
      await looksMissing(app, acme, { id: other, resource, faults });
    }
    assert.deepEqual(faults, []);
  });
}
