/** The short form of the soak; `deno task soak` is the long one. */

import { soak } from "./soak.ts";

Deno.test("two nodes on one server, one of them or of their workers killed now and then: no lost write, no double sweep, every event", async () => {
  console.log(await soak({ seconds: 30, killEvery: 5, workers: 2 }));
});
