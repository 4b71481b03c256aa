/**
 * `deno task goldens <folder> <database>`: writes every page of the demo as three users see it, with its status and its
 * number of statements, one file each, at a fixed time; also the API document. The first run creates the database. Run
 * it in two checkouts with the same database and compare the folders with `diff -r`: a change of the code alone makes no
 * difference.
 */

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { sql } from "drizzle-orm";
import { firstIds, pagesUnderTest } from "./e2e/pages.ts";
import { demoDatabase } from "./e2e/support/demo.ts";
import { userId } from "./e2e/support/site.ts";
import { type Actor, auditor, managerOf, stranger } from "./support/actors.ts";
import { testApp } from "./support/app.ts";
import { cloneDatabase, databaseBytes } from "./support/database.ts";
import { browserOf, CHIEF } from "./web/imports/browser.ts";

/** Parts of pages that differ each time: keys of forms, previews and sessions. */
const RANDOM: readonly (readonly [RegExp, string])[] = [
  [/name="(csrf|setup)" value="[^"]*"/g, 'name="$1"'],
  [/&quot;challenge&quot;:&quot;\w+&quot;/g, "challenge"],
  [/(\/preview\/|\?from=)[\w-]{16,}/g, "$1KEY"],
];

async function write(folder: string, name: string, text: string): Promise<void> {
  const path = join(folder, name);
  await Deno.mkdir(dirname(path), { recursive: true });
  await Deno.writeTextFile(path, text);
}

const [folder, file] = Deno.args;
if (folder === undefined || file === undefined) {
  throw new Error("Missing the folder to write to, or the database.");
}
if (!existsSync(file)) await Deno.writeFile(file, await databaseBytes(await demoDatabase()));

await using app = await testApp({ database: await cloneDatabase(await Deno.readFile(file)) });
const ids = await firstIds(app.database);
const [tenant] = await app.database.all<{ slug: string }>(sql`SELECT slug FROM tenants ORDER BY id LIMIT 1`);
const users: readonly Actor[] = [CHIEF, managerOf(tenant?.slug ?? ""), auditor()];
const browsers = [];
for (const user of users) browsers.push([user.username, await browserOf(app, user)] as const);
const userOf = (actor: Actor): Promise<number> => userId(app, actor);
for (const { name, path } of await pagesUnderTest({ service: app, userOf }, ids)) {
  for (const [user, browser] of browsers) {
    const before = app.database.statements;
    const { status, html, location } = await browser.get(path);
    const statements = app.database.statements - before;
    const lines = RANDOM.reduce((text, [random, fixed]) => text.replaceAll(random, fixed), html)
      .replaceAll(/(?<=>)(?=<)/g, "\n");
    await write(folder, `${user}/${name}.html`, `${status} ${location} ${statements} statements\n${lines}\n`);
  }
}
const ask = await app.as(stranger());
const document = await (await ask("/api/schema/?format=json")).json();
await write(folder, "openapi.json", `${JSON.stringify(document, null, 1)}\n`);
console.log(`Wrote the pages of ${users.length} users to ${folder}.`);
