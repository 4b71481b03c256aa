/** Sends one request to each name that is given, all on one local port: `tls_process.ts PORT NAME…`. */

import { parseAllowedHosts, sendGuarded } from "../../src/outbound/mod.ts";

const [port, ...names] = Deno.args;
for (const name of names) {
  const result = await sendGuarded({
    url: `https://${name}:${port}/`,
    method: "POST",
    headers: {},
    body: "{}",
    timeoutMs: 10_000,
    maxReplyBytes: 100,
    allowed: parseAllowedHosts(["127.0.0.1"]),
    resolve: () => Promise.resolve(["127.0.0.1"]),
  }).then(({ status }) => `status ${status}`, (error) => error.message);
  console.log(`${name}: ${result}`);
}
