/** Measures an import from a NetBox that is killed in the middle: `deno run … tests/bench/netbox_import.ts 10000`. */

import { moveThroughKill } from "../cli/netbox_move.ts";
import { testFolder } from "../cli/process.ts";
import { netboxInventory, startNetbox } from "../support/netbox_api.ts";

const count = Number(Deno.args[0] ?? 10_000);
await using folder = await testFolder();
await using netbox = startNetbox(netboxInventory({ count }));
await Deno.writeTextFile(`${folder.path}/token`, netbox.token);
const args = ["import", "netbox", "--from", netbox.url, "--token-file", `${folder.path}/token`];
const { rest, again } = await moveThroughKill(netbox, {
  args,
  env: { CERTMGR_DATA_DIR: `${folder.path}/data` },
});
const total = Object.values(netbox.lists).flat().length;
console.log(`${count} certificates, ${total} objects`);
console.log(`  the rest after a kill in the middle  ${rest.toFixed(1)} s`);
console.log(`  a second run, which changes nothing  ${again.toFixed(1)} s`);
