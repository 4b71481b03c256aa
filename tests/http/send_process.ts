/** Sends a request to each given URL; all their names resolve to this machine: `send_process.ts URL…`. */

import { parseAllowedHosts } from "../../src/http/mod.ts";
import { sendGuarded } from "../../src/http/send_guarded.ts";

for (const url of Deno.args) {
  const result = await sendGuarded({
    url,
    method: "POST",
    headers: {},
    body: "{}",
    timeoutMs: 10_000,
    maxReplyBytes: 100,
    allowed: parseAllowedHosts(["127.0.0.1"]),
    resolve: () => Promise.resolve(["127.0.0.1"]),
  }).then(({ status }) => `status ${status}`, (error) => error.message);
  console.log(`${new URL(url).hostname}: ${result}`);
}
