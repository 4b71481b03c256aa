/** The short form of the soak; `deno task soak` is the long one. */

import { soak } from "./soak.ts";

Deno.test("two nodes on one server, killed now and then, lose no write, sweep once and send every event", async () => {
  console.log(await soak({ seconds: 30, killEvery: 5, workers: 2 }));
});
