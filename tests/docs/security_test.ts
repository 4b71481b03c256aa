/** The page on security states the limits and permissions of the code. */

import assert from "node:assert/strict";
import { actionsOn, isObjectType } from "../../src/auth/mod.ts";
import { limitNamed } from "./limits.ts";
import { tableBelow } from "./tables.ts";

const page = await Deno.readTextFile(new URL("../../docs/security.md", import.meta.url));

function words(cell: string | undefined): string[] {
  return [...(cell ?? "").matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word);
}

Deno.test("each limit has the value that the page states", async () => {
  const rows = tableBelow(page, "## Limits of a request");
  assert(rows.length > 3, `${rows.length} rows`);
  for (const [, value, name] of rows) {
    const [key = ""] = words(name);
    assert.equal(Number(value?.replaceAll(",", "")), await limitNamed(key), key);
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

Deno.test("the page explains the permissions that give control of accounts or show hidden objects", () => {
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
