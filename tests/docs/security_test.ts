/** What the page on security says of bounds and permissions is so. */

import assert from "node:assert/strict";
import { actionsOn, isObjectType } from "../../src/auth/mod.ts";
import * as limits from "../../src/base/limits.ts";
import { tableBelow } from "./tables.ts";

const page = await Deno.readTextFile(new URL("../../docs/security.md", import.meta.url));

function words(cell: string | undefined): string[] {
  return [...(cell ?? "").matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word);
}

Deno.test("each bound has the value that the page gives", () => {
  const rows = tableBelow(page, "## Bounds of a request");
  assert(rows.length > 10, `${rows.length} rows`);
  for (const [, value, name] of rows) {
    const [key = ""] = words(name);
    assert.equal(Number(value?.replaceAll(",", "")), limits[key as keyof typeof limits], key);
  }
});

Deno.test("each permission that the page explains can be granted", () => {
  const rows = tableBelow(page, "## What each permission amounts to");
  assert(rows.length > 10, `${rows.length} rows`);
  for (const [type, actions] of rows) {
    const [objectType = ""] = words(type);
    assert(isObjectType(objectType), `Object type "${objectType}" does not exist`);
    const unknown = words(actions).filter((action) => !actionsOn(objectType).includes(action));
    assert.deepEqual(unknown, [], objectType);
  }
});

Deno.test("the page explains the permissions that take over accounts, and those that show hidden objects", () => {
  const rows = tableBelow(page, "## What each permission amounts to");
  const explained = rows.flatMap(([type, actions]) =>
    words(actions).map((action) => `${words(type)[0]}.${action}`)
  );
  for (
    const permission of [
      ...["users.user.change", "users.token.add", "users.group.change", "users.objectpermission.add"],
      ...["extras.webhook.add", "extras.webhook.change", "core.objectchange.view"],
    ]
  ) assert(explained.includes(permission), permission);
});

Deno.test("links between the pages lead to files and headings that exist", async () => {
  const root = new URL("../../", import.meta.url);
  for (
    const [file, text] of [["docs/security.md", page], [
      "SECURITY.md",
      await Deno.readTextFile(new URL("SECURITY.md", root)),
    ]] as const
  ) {
    for (const [, path = "", heading] of text.matchAll(/\]\(([^)#]*)(?:#([^)]+))?\)/g)) {
      const target = path === "" ? text : await Deno.readTextFile(new URL(path, new URL(file, root)));
      const headings = [...target.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
        title.toLowerCase().replace(/[^\w\s-]/g, "").replaceAll(" ", "-")
      );
      assert(heading === undefined || headings.includes(heading), `${file}: ${path}#${heading}`);
    }
  }
});
