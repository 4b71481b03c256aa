/** The page of notices matches the code. */

import assert from "node:assert/strict";
import { NOTICE_EVENT_NAMES } from "../../src/domain/notices/event_names.ts";
import { tableBelow } from "./tables.ts";

Deno.test("the page of notices lists every event", async () => {
  const page = await Deno.readTextFile(new URL("../../docs/notices.md", import.meta.url));
  const events = tableBelow(page, "## Subscriptions").map(([name]) => name?.replaceAll("`", ""));
  assert.deepEqual(events, NOTICE_EVENT_NAMES);
});
