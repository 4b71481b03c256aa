/** Sends requests over real sockets to hosts that misbehave, and to names whose address changes (DNS rebinding). */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import {
  OutboundError,
  type OutboundRequest,
  parseAllowedHosts,
  PUBLIC_ONLY,
  type Send,
} from "../../src/http/mod.ts";
import { sendByFetch } from "../../src/http/send_by_fetch.ts";
import { sendGuarded } from "../../src/http/send_guarded.ts";
import { TestCa } from "../support/test_ca/mod.ts";

const LOCAL = parseAllowedHosts(["127.0.0.1"]);
const SENDERS: Readonly<Record<string, Send>> = { guarded: sendGuarded, fetch: sendByFetch };

type Script = (write: (text: string | Uint8Array) => Promise<void>) => Promise<void>;

/** Starts a host that runs a script when it receives a request. */
async function withHost(script: Script, work: (origin: string) => Promise<void>): Promise<void> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serving = (async () => {
    for await (const connection of listener) {
      try {
        await connection.read(new Uint8Array(65_536));
        await script(async (text) => {
          let bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
          while (bytes.length > 0) bytes = bytes.subarray(await connection.write(bytes));
        });
      } catch {
        // The client has closed the connection.
      } finally {
        connection.close();
      }
    }
  })();
  try {
    await work(`http://127.0.0.1:${listener.addr.port}`);
  } finally {
    listener.close();
    await serving.catch(() => undefined);
  }
}

function requestTo(url: string, own: Partial<OutboundRequest> = {}): OutboundRequest {
  return {
    url,
    method: "POST",
    headers: { "x-secret": "hush-hush", "host": "elsewhere", "Transfer-Encoding": "chunked" },
    body: '{"ü":1}',
    timeoutMs: 400,
    maxReplyBytes: 4_096,
    allowed: LOCAL,
    ...own,
  };
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** A host's behavior, and the expected response or error. */
const HOSTS: readonly (readonly [
  title: string,
  script: Script,
  expected: { status: number; bytes: number } | RegExp,
])[] = [
  ["answers", (write) => write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi"), {
    status: 200,
    bytes: 2,
  }],
  [
    "redirects",
    (write) => write("HTTP/1.1 307 X\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n"),
    { status: 307, bytes: 0 },
  ],
  ["hangs", () => pause(500), /^No answer within 0.4 seconds\.$/],
  [
    "closes the connection",
    () => Promise.resolve(),
    /^(The connection was reset|The host cannot be reached)\.$/,
  ],
  [
    "sends malformed HTTP",
    (write) => write("SSH-2.0-OpenSSH\r\n\r\n"),
    /^(No answer: |The host cannot be reached)/,
  ],
  ["sends a hundred megabytes", async (write) => {
    await write("HTTP/1.1 200 OK\r\ncontent-length: 104857600\r\n\r\n");
    for (let n = 0; n < 100; n++) await write(new Uint8Array(1_048_576).fill(65));
  }, { status: 200, bytes: 4_096 }],
  ["sends its body slowly", async (write) => {
    await write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc");
    await pause(600);
  }, { status: 200, bytes: 3 }],
  ["sends its head slowly", async (write) => {
    for (const letter of "HTTP/1.1 200 OK\r\n") {
      await write(letter);
      await pause(50);
    }
  }, /^No answer within 0.4 seconds\.$/],
  ["sends headers without end", async (write) => {
    await write("HTTP/1.1 200 OK\r\n");
    for (let n = 0; n < 100_000; n++) await write(`x-${n}: ${"y".repeat(500)}\r\n`);
  }, /^(No answer|The host cannot be reached)/],
  [
    "sends a few interim responses first",
    (write) => write("HTTP/1.1 103 X\r\n\r\n".repeat(20) + "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi"),
    { status: 200, bytes: 2 },
  ],
  ["sends null characters", (write) => write("HTTP/1.1 500 X\r\ncontent-length: 3\r\n\r\na\0b"), {
    status: 500,
    bytes: 5,
  }],
];

for (const [title, script, expected] of HOSTS) {
  for (const [name, send] of Object.entries(SENDERS)) {
    Deno.test(`${name}: a host that ${title} cannot harm the service`, async () => {
      await withHost(script, async (origin) => {
        const result = await send(requestTo(`${origin}/path?token=hush-hush`)).catch((error) => error);
        if (expected instanceof RegExp) {
          assert.ok(result instanceof OutboundError, String(result));
          assert.match(result.message, expected);
          const isLate = result.message === "No answer within 0.4 seconds.";
          assert.equal(result.failure, isLate ? "timeout" : "no_answer");
          assert.ok(!result.message.includes("hush-hush"));
        } else {
          const bytes = new TextEncoder().encode(result.body).length;
          assert.deepEqual([result.status, bytes, result.body?.includes("\0")], [
            expected.status,
            expected.bytes,
            false,
          ]);
        }
      });
    });
  }
}

for (const status of [100, 102, 103]) {
  Deno.test(`a host that sends one response with ${status} after the other is not read until the time limit`, async () => {
    await withHost(
      (write) => write(`HTTP/1.1 ${status} X\r\n\r\n`.repeat(21)).then(() => pause(1_000)),
      async (origin) => {
        await assert.rejects(sendGuarded(requestTo(origin)), {
          name: "OutboundError",
          message: "The host sends interim responses instead of an answer.",
        });
      },
    );
  });
}

Deno.test("a host receives method, body and all headers except those of the connection", async () => {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) =>
      Response.json({
        method: request.method,
        host: request.headers.get("host"),
        secret: request.headers.get("x-secret"),
        body: await request.text(),
      }, { headers: { "retry-after": "7" } }),
  );
  const origin = `127.0.0.1:${server.addr.port}`;
  for (const send of Object.values(SENDERS)) {
    const { body, retryAfter } = await send(requestTo(`http://${origin}/`));
    assert.deepEqual(JSON.parse(body), {
      method: "POST",
      host: origin,
      secret: "hush-hush",
      body: '{"ü":1}',
    });
    assert.equal(retryAfter, "7");
  }
  await server.shutdown();
});

Deno.test("a name that was public when it was saved and is private at the request is refused", async () => {
  const url = "http://hooks.example.com/";
  for (
    const addresses of [["127.0.0.1"], ["8.8.8.8", "10.0.0.1"], ["::ffff:10.0.0.1"], ["fe80::1%eth0"], [""]]
  ) {
    const sending = sendGuarded(
      requestTo(url, { allowed: PUBLIC_ONLY, resolve: () => Promise.resolve(addresses) }),
    );
    await assert.rejects(sending, (error) => {
      assert.match(String(error), /^OutboundError: Requests to hooks\.example\.com are not allowed: /);
      assert.equal((error as OutboundError).failure, "not_allowed", addresses.join());
      return true;
    });
  }
});

Deno.test("a name without an address, or that no resolver knows, cannot be resolved", async () => {
  for (const resolve of [() => Promise.resolve([]), () => Promise.reject(new Error("NXDOMAIN"))]) {
    await assert.rejects(sendGuarded(requestTo("http://hooks.example.com/", { resolve })), {
      name: "OutboundError",
      failure: "unresolved",
    });
  }
});

Deno.test("the connection goes to the checked address even if the name now resolves to another one", async () => {
  await withHost((write) => write("HTTP/1.1 204 X\r\n\r\n"), async (origin) => {
    const { port } = new URL(origin);
    let asked = 0;
    const resolve = (): Promise<string[]> => Promise.resolve(asked++ === 0 ? ["127.0.0.1"] : ["127.0.0.2"]);
    const { status } = await sendGuarded(requestTo(`http://hooks.example.com:${port}/`, { resolve }));
    assert.deepEqual([status, asked], [204, 1]);
  });
});

Deno.test("a name without addresses and one that cannot be resolved in time are reported", async () => {
  const url = "http://hooks.example.com/";
  const failing = sendGuarded(requestTo(url, { resolve: () => Promise.reject(new Error("NXDOMAIN")) }));
  await assert.rejects(failing, /The name hooks\.example\.com cannot be resolved/);
  await assert.rejects(sendGuarded(requestTo(url, { resolve: () => Promise.resolve([]) })), /has no address/);
  const never = sendGuarded(requestTo(url, { resolve: () => new Promise(() => {}) }));
  await assert.rejects(never, /No answer within 0\.4 seconds/);
});

/** Sends to URLs from a separate process and returns its output lines. */
async function sendInProcess(urls: readonly string[], env: Record<string, string>): Promise<string[]> {
  const path = fileURLToPath(new URL("send_process.ts", import.meta.url));
  const args = ["run", "-q", "--no-check", "-A", path, ...urls];
  const { stdout } = await new Deno.Command(Deno.execPath(), { args, env, stderr: "null" }).output();
  return new TextDecoder().decode(stdout).trim().split("\n");
}

Deno.test("a proxy in the environment is not used, because it would resolve the name again", async () => {
  let asked = 0;
  await withHost(() => Promise.resolve(void asked++), async (proxy) => {
    await withHost((write) => write("HTTP/1.1 204 X\r\n\r\n"), async (origin) => {
      const { port } = new URL(origin);
      const variables = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
      const env = Object.fromEntries(
        [...variables, ...variables.map((name) => name.toLowerCase())].map((name) => [name, proxy]),
      );
      const lines = await sendInProcess(
        [`http://plain.example:${port}/`, `https://secure.example:${port}/`],
        { ...env, NODE_USE_ENV_PROXY: "1", DENO_NO_UPDATE_CHECK: "1" },
      );
      assert.equal(lines[0], "plain.example: status 204");
      // It does not support TLS, but the connection reached it.
      assert.match(lines[1] ?? "", /^secure\.example: No answer: /);
    });
  });
  assert.equal(asked, 0);
});

Deno.test("TLS verifies the name of the URL, whatever address the connection goes to", async () => {
  // Valid by the machine's clock, unlike the certificates of other tests.
  const validity = { notBefore: "2020-01-01T00:00:00Z", notAfter: "2049-12-31T00:00:00Z" };
  const root = await TestCa.root({ subject: "CN=Outbound Root", ...validity });
  const { pem, key } = await root.issue({ cn: "good.example", sans: ["good.example"], ...validity });
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {}, cert: pem, key: key.privateKeyPem },
    () => new Response(null, { status: 204 }),
  );
  const trusted = await Deno.makeTempFile({ suffix: ".pem" });
  await Deno.writeTextFile(trusted, root.pem);
  const urls = ["good", "other"].map((name) => `https://${name}.example:${server.addr.port}/`);
  const [good, other] = await sendInProcess(urls, { NODE_EXTRA_CA_CERTS: trusted });
  assert.equal(good, "good.example: status 204");
  assert.match(other ?? "", /^other\.example: No answer: .*(altname|not valid for name|NotValidForName)/i);
  const [unknown] = await sendInProcess(urls, {});
  assert.match(unknown ?? "", /^good\.example: No answer: .*(issuer|certificate)/i);
  await Deno.remove(trusted);
  await server.shutdown();
});

Deno.test("an invalid header is reported without its value", async () => {
  const sending = sendGuarded(requestTo("http://127.0.0.1:1/", { headers: { "x-a": "hush\r\nhush" } }));
  await assert.rejects(sending, (error: Error) => !error.message.includes("hush"));
});
