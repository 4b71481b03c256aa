/** The columns of the list of certificates: chosen once, kept from then on. */

import assert from "node:assert/strict";
import { testApp } from "../support/app.ts";
import { type Answer, browserOf } from "./imports/browser.ts";

function heads({ html }: Answer): string[] {
  return [...html.matchAll(/<th scope="col"[^>]*>(?:<a[^>]*>)?([^<]+)/g)].map(([, text = ""]) =>
    text.replace(/ [↑↓]$/, "").trim()
  );
}

const USUAL = ["Common name", "Expires", "Installed on", "Owner", "Tenant", "Issuer", "Status", "Chain"];
const CHOSEN = ["Common name", "Serial number", "Tags"];

Deno.test("Columns that are chosen are shown, kept for a year, and shown again without being named", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  assert.deepEqual(heads(await browser.get("/certificates/")), USUAL);
  const chosen = await browser.get("/certificates/?columns=tags&columns=serial_number");
  assert.deepEqual(heads(chosen), CHOSEN);
  const kept = chosen.headers.getSetCookie().find((one) => one.startsWith("certmgr_columns=")) as string;
  assert.match(kept, /; Max-Age=31536000/);
  assert.match(kept, /; HttpOnly/);
  const cookie = kept.split(";")[0] as string;
  const later = await browser.get("/certificates/?status=active", { cookie });
  assert.deepEqual(heads(later), CHOSEN);
  assert.deepEqual(later.headers.getSetCookie(), []);
  assert.deepEqual(heads(await browser.get("/certificates/?columns=status", { cookie })), [
    "Common name",
    "Status",
  ]);
});

Deno.test("Unknown columns are ignored, in the address and in the cookie", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  for (const strange of ["secret", "__proto__", "constructor", "<script>", " "]) {
    const address = `/certificates/?columns=${encodeURIComponent(strange)}`;
    assert.deepEqual(heads(await browser.get(address)), USUAL, strange);
    const cookie = `certmgr_columns=${encodeURIComponent(strange)}`;
    assert.deepEqual(heads(await browser.get("/certificates/", { cookie })), USUAL, strange);
  }
});
