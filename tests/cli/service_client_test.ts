/** Requests of commands to servers that stall, break off, or are not certmgr. */

import assert from "node:assert/strict";
import { kubernetesReport } from "../../src/cli/agent_sources.ts";
import { CommandError } from "../../src/cli/failure.ts";
import { sendReport } from "../../src/cli/observation_report.ts";
import { callService, downloadFrom } from "../../src/cli/service_client.ts";
import { scriptedServer, type TlsServer } from "../support/tls_servers.ts";

type Write = (text: string) => Promise<void>;

/** Starts a server that answers requests by scripts: the first one by the first script, and so on. */
function answering(...scripts: readonly ((write: Write) => Promise<void>)[]): TlsServer {
  let count = 0;
  return scriptedServer(async (connection) => {
    await connection.read(new Uint8Array(65_536));
    const script = scripts[Math.min(count++, scripts.length - 1)];
    await script?.(async (text) => {
      const bytes = new TextEncoder().encode(text);
      for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
    });
  });
}

function answer(
  body: string,
  { type = "application/json", status = 200, length = body.length } = {},
): string {
  return `HTTP/1.1 ${status} X\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n${body}`;
}

function serviceAt({ address, port }: TlsServer): { url: string; token: string } {
  return { url: `http://${address}:${port}`, token: "x" };
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
const HALF = answer('{"created": 1,', { length: 100 });
const TOTALS = '{"created": 1, "updated": 0, "unchanged": 0, "certificates_created": 0, "errors": []}';
const PAGE = answer("<html>We will be back soon.</html>", { type: "text/html; charset=utf-8" });

const FAULTS: readonly [what: string, script: (write: Write) => Promise<void>, message: RegExp][] = [
  ["does not answer", () => pause(5_000), /cannot be reached: the server did not respond in time$/],
  ["stops in the middle of an answer", async (write) => {
    await write(HALF);
    await pause(5_000);
  }, /cannot be reached: the server did not respond in time$/],
  ["closes the connection in the middle of an answer", (write) => write(HALF), /cannot be reached: /],
  ["answers with a web page", (write) => write(PAGE), /sent something other than an answer of the API\./],
  [
    "answers with other JSON",
    (write) => write(answer("null")),
    /sent something other than an answer of the API\./,
  ],
  [
    "answers with other text",
    (write) => write(answer("OK")),
    /sent something other than an answer of the API\./,
  ],
  [
    "refuses with other JSON",
    (write) => write(answer("null", { status: 400 })),
    /^The service answered with status 400\. Use the address of a certmgr service\.$/,
  ],
  ["refuses with an endless text", async (write) => {
    await write("HTTP/1.1 500 X\r\n\r\n");
    for (;;) await write(" ".repeat(1_000_000));
  }, /^The service answered with status 500\./],
];
for (const [what, script, message] of FAULTS) {
  Deno.test(`a request to a server that ${what} ends with the reason`, async () => {
    await using server = answering(script);
    const failed = callService(serviceAt(server), { path: "x/", idleMs: 300 });
    await assert.rejects(failed, (error) => error instanceof CommandError && message.test(error.message));
  });
}

Deno.test("an answer may take longer than a server may pause", async () => {
  await using server = answering(async (write) => {
    await write(answer("", { length: 10 }));
    for (const part of ['{"a":', '"b"', " ", "}"]) {
      await pause(150);
      await write(part);
    }
  });
  assert.deepEqual(await callService(serviceAt(server), { path: "x/", idleMs: 400 }), { a: "b" });
});

Deno.test("a web page is not an export", async () => {
  await using server = answering((write) => write(PAGE));
  await assert.rejects(downloadFrom(serviceAt(server), { path: "certificates/export/" }), {
    name: "CommandError",
  });
});

for (const [what, first] of [["breaks off", HALF], ["is a web page", PAGE]] as const) {
  Deno.test(`a report whose answer ${what} is sent again`, async () => {
    await using server = answering((write) => write(first), (write) => write(answer(TOTALS)));
    const observations = [{ host: "www.acme.example" }];
    const report = { agent: "dmz", source: "agent", observations, certificates: [] } as const;
    const { created } = await sendReport(serviceAt(server), report, { attempts: 2 });
    assert.equal(created, 1);
  });
}

Deno.test("a report that the service does not answer ends when the agent stops", async () => {
  await using server = answering(() => pause(5_000));
  const report = { agent: "dmz", source: "agent", observations: [{}], certificates: [] } as const;
  const stopping = new AbortController();
  setTimeout(() => stopping.abort(), 200);
  const { signal } = stopping;
  assert.equal((await sendReport(serviceAt(server), report, { attempts: Infinity, signal })).created, 0);
});

for (
  const [what, text] of [["a web page", PAGE], ["half a list", HALF], ["other JSON", answer("{}")]] as const
) {
  Deno.test(`an API server of Kubernetes that sends ${what} is a reported failure`, async () => {
    await using server = answering((write) => write(text));
    const tokenFile = await Deno.makeTempFile();
    try {
      const cluster = { url: serviceAt(server).url, tokenFile, caFile: `${tokenFile}.ca` };
      await assert.rejects(kubernetesReport(cluster), {
        name: "CommandError",
        message: /^The API server at/,
      });
    } finally {
      await Deno.remove(tokenFile);
    }
  });
}
