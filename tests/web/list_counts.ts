/** Counts the objects of the lists to which pages link. */

import assert from "node:assert/strict";
import type { Client } from "../support/app.ts";
import { callJson } from "../support/call_json.ts";

const LISTS: Readonly<Record<string, string>> = {
  "/checks/": "compliance-checks",
  "/certificates/": "certificates",
};

/** Returns the number of objects in the list of a page's URL, as the API counts them. */
export async function countOf(client: Client, href: string): Promise<number> {
  const { pathname, searchParams } = new URL(href.replaceAll("&amp;", "&"), "http://c");
  const list = LISTS[pathname];
  assert.ok(list, href);
  searchParams.delete("show");
  searchParams.set("limit", "1");
  return (await callJson(client, `/api/plugins/certmgr/${list}/?${searchParams}`)).count;
}
