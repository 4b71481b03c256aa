/** `deno task start` is stopped under load: every confirmed write is stored, and every response is complete. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { STOP_LIMIT_MS } from "../../src/server.ts";
import { TextLineStream } from "../support/text_lines.ts";
import { api, startService, testFolder } from "./process.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
const KEY = "abcdefghijABCDEFGHIJ0123456789abcdefghij";
/** Concurrent clients, each with a persistent connection. */
const CLIENTS = 8;

interface Tally {
  /** Ids of the tags that were answered with 201. */
  readonly stored: number[];
  /** Number of requests that got a Retry-After or no connection. */
  turnedAway: number;
  /** All other results. */
  readonly wrong: string[];
}

/** Sends writes, one after another, until the service has stopped. */
async function client(url: string, name: number, tally: Tally): Promise<void> {
  for (let n = 0;; n++) {
    const slug = `c${name}-${n}`;
    try {
      const response = await fetch(`${url}/api/extras/tags/`, {
        method: "POST",
        headers: { authorization: `Token ${KEY}`, "content-type": "application/json" },
        body: JSON.stringify({ name: slug, slug }),
      });
      const { id } = await response.json();
      if (response.status === 201) tally.stored.push(id);
      else if (response.status === 503) return void tally.turnedAway++;
      else tally.wrong.push(`${response.status}`);
    } catch (error) {
      // The service does not listen any more. The stored tags show whether it processed such a request anyway.
      const reason = `${error} ${(error as Error).cause ?? ""}`;
      if (/refused|reset|closed/i.test(reason)) tally.turnedAway++;
      else tally.wrong.push(reason);
      return;
    }
  }
}

Deno.test("a service that is stopped under load ends within its limit, completes its responses and has stored every confirmed write", async () => {
  await using folder = await testFolder();
  const env = { CERTMGR_DATA_DIR: folder.path, CERTMGR_ADMIN_TOKEN: KEY };
  const child = new Deno.Command(Deno.execPath(), {
    args: ["task", "-q", "start"],
    cwd: PROJECT,
    env: { ...env, CERTMGR_PORT: "0", NO_COLOR: "1" },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const stderr = new Response(child.stderr).text();
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream());
  let url = "";
  for await (const line of lines.values({ preventCancel: true })) {
    url = /^Listening on (\S+)\/$/.exec(line)?.[1] ?? "";
    if (url !== "") break;
  }
  const drained = lines.pipeTo(new WritableStream());

  const tally: Tally = { stored: [], turnedAway: 0, wrong: [] };
  const clients = Array.from({ length: CLIENTS }, (_, name) => client(url, name, tally));
  while (tally.stored.length < 10 * CLIENTS) await new Promise((done) => setTimeout(done, 20));
  const before = performance.now();
  child.kill("SIGTERM");
  const { code } = await child.status;
  const took = performance.now() - before;
  await Promise.all([...clients, drained]);

  assert.deepEqual([code, tally.wrong], [0, []], await stderr);
  assert.ok(took < STOP_LIMIT_MS, `Stopping took ${took} ms`);
  assert.ok(tally.turnedAway > 0, "The load went on to the end");
  const stops = (await stderr).split("\n").filter((line) => line.includes('"event":"stopped"'));
  assert.ok(stops.length > 0);
  for (const line of stops) assert.equal(JSON.parse(line).requests_cut_off, 0, line);
  await using again = await startService(env);
  const { json } = await api(again, { token: KEY, path: "extras/tags/?limit=1" });
  assert.equal(json.count, tally.stored.length);
});
