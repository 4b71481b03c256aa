/** A token is created in the profile and used by a program. */

import assert from "node:assert/strict";
import { CHIEF } from "./support/site.ts";
import { walk } from "./support/walk.ts";

const LIST = "/api/plugins/certmgr/certificates/?limit=1";

/** Runs the curl command of the page for another path, and returns status and body. */
async function curl(command: string, path: string): Promise<{ status: number; body: string }> {
  const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare as string);
  assert.equal(words.shift(), "curl");
  const url = new URL(path, words.pop());
  assert.deepEqual(words.shift(), "-H");
  const [name, value] = (words.shift() as string).split(": ") as [string, string];
  const response = await fetch(url, { headers: { [name]: value } });
  return { status: response.status, body: await response.text() };
}

for (const scripts of [true, false]) {
  const how = scripts ? "with scripts" : "without scripts";

  walk(`a token is shown once, authenticates a program, and is refused when it is revoked (${how})`, {
    as: CHIEF,
    scripts,
  }, async ({ page, site, go }) => {
    await go("/profile/");
    await page.getByText("New token").click();
    await page.getByLabel("Description").fill("nightly report");
    await page.getByLabel("Allow changes").uncheck();
    assert.match(await page.getByLabel("Expires", { exact: true }).inputValue(), /^\d{4}-\d\d-\d\dT/);
    await page.getByRole("button", { name: "Create token" }).click();
    await page.getByRole("heading", { name: "New API token" }).waitFor();
    const key = await page.getByLabel("API token", { exact: true }).innerText();
    assert.match(key, /^[A-Za-z0-9]{40}$/);
    assert.equal(await page.getByRole("button", { name: "Copy API token" }).isVisible(), scripts);

    const command = await page.getByLabel("Example", { exact: true }).innerText();
    const { status, body } = await curl(command, LIST);
    assert.equal(status, 200);
    assert.ok(JSON.parse(body).count > 0);
    const write = await fetch(`${site.origin}/api/tenancy/tenants/`, {
      method: "POST",
      headers: { authorization: `Token ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "New", slug: "new" }),
    });
    assert.equal(write.status, 403, "A token that may not make changes has made one");
    await write.body?.cancel();

    await page.getByRole("button", { name: "Continue" }).click();
    const row = page.getByRole("row").filter({ hasText: "nightly report" });
    assert.match(await row.innerText(), /read only/);
    assert.ok(!(await page.content()).includes(key), "The key is shown again");
    await row.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("status").getByText("Token revoked.").waitFor();
    assert.equal((await curl(command, LIST)).status, 401);
  });
}

walk("the copy button copies the key to the clipboard", { as: CHIEF }, async ({ page, context, go }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await go("/profile/");
  await page.getByText("New token").click();
  await page.getByRole("button", { name: "Create token" }).click();
  await page.getByRole("button", { name: "Copy API token" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(copied, await page.getByLabel("API token", { exact: true }).innerText());
});
