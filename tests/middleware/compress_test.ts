/** Compressed responses: for clients that accept them, without secrets, and with little memory. */

import assert from "node:assert/strict";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { acceptedEncoding, COMPRESS_MIN_BYTES, readStart } from "../../src/middleware/response_body.ts";
import { type Client, ORIGIN, testApp } from "../support/app.ts";
import { PATHS } from "../support/paths.ts";
import { browserOf, withoutFormToken } from "../web/imports/browser.ts";

const BR = { "accept-encoding": "gzip, br" };
const GZIP = { "accept-encoding": "gzip" };

async function bytesOf(response: Response): Promise<Uint8Array> {
  return new Uint8Array(await response.arrayBuffer());
}

function tokenIn(html: string): string {
  return /name="csrf" value="([^"]*)"/.exec(html)?.[1] ?? "";
}

async function encodingOf(
  client: Client,
  path: string,
  headers: Record<string, string> = BR,
): Promise<string | null> {
  const response = await client(path, { headers });
  await response.body?.cancel();
  return response.headers.get("content-encoding");
}

for (
  const [header, expected] of [
    [undefined, undefined],
    ["", undefined],
    ["gzip", "gzip"],
    ["gzip, deflate, br", "br"],
    ["GZIP;q=0.5", "gzip"],
    ["br;q=0.5, gzip;q=0.8", "gzip"],
    ["br;q=0, gzip;q=0", undefined],
    ["br;q=0, *", "gzip"],
    ["*;q=0", undefined],
    ["*", "br"],
    ["identity", undefined],
    ["identity;q=1, gzip;q=0.5", undefined],
    ["identity;q=0.1, gzip;q=0.5", "gzip"],
    ["deflate, zstd", undefined],
  ] as const
) {
  Deno.test(`Accept-Encoding ${JSON.stringify(header)} chooses ${expected}`, () => {
    assert.equal(acceptedEncoding(header, ["br", "gzip"]), expected);
  });
}

Deno.test("a list is the same in every encoding, with Vary and a weak version, and shorter", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const path = `${PATHS.certificates}?limit=50`;
  const plain = await bytesOf(await client(path));
  const br = await client(path, { headers: BR });
  const gzip = await client(path, { headers: GZIP });
  for (const [response, encoding] of [[br, "br"], [gzip, "gzip"]] as const) {
    assert.equal(response.headers.get("content-encoding"), encoding);
    assert.match(response.headers.get("vary") ?? "", /Accept-Encoding/);
  }
  const [short, zipped] = [await bytesOf(br), await bytesOf(gzip)];
  assert.deepEqual(new Uint8Array(brotliDecompressSync(short)), plain);
  assert.deepEqual(new Uint8Array(gunzipSync(zipped)), plain);
  assert.ok(short.length < plain.length / 3 && zipped.length < plain.length / 3);
});

Deno.test("a detail keeps its weak version when it is compressed, and is 304 for a client that has it", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const { results: [{ id }] } = await (await client(`${PATHS.certificates}?limit=1`)).json();
  const path = `${PATHS.certificates}${id}/`;
  const response = await client(path, { headers: BR });
  const etag = response.headers.get("etag") ?? "";
  await response.body?.cancel();
  assert.deepEqual([response.headers.get("content-encoding"), etag.slice(0, 3)], ["br", 'W/"']);
  const again = await client(path, { headers: { ...BR, "if-none-match": etag } });
  assert.deepEqual([again.status, again.headers.get("content-encoding")], [304, null]);
});

Deno.test("a page is the same in every encoding, except for the mask of its form token", async () => {
  await using app = await testApp();
  const { cookie } = await browserOf(app);
  const unmasked = (bytes: Uint8Array): string => withoutFormToken(new TextDecoder().decode(bytes));
  const read = (headers: Record<string, string>): Promise<Response> =>
    app.app.fetch(new Request(`${ORIGIN}/certificates/`, { headers: { cookie, ...headers } }));
  const plain = unmasked(await bytesOf(await read({})));
  const [br, gzip] = [await read(BR), await read(GZIP)];
  assert.deepEqual([br, gzip].map(({ headers }) => headers.get("content-encoding")), ["br", "gzip"]);
  const short = await bytesOf(br);
  assert.equal(unmasked(brotliDecompressSync(short)), plain);
  assert.equal(unmasked(gunzipSync(await bytesOf(gzip))), plain);
  assert.ok(short.length < plain.length / 3);
});

Deno.test("a page that answers a posted form is not compressed, because it may show a secret", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const body = new URLSearchParams({ name: "", csrf: tokenIn((await browser.get("/tags/new/")).html) });
  const headers = { cookie: browser.cookie, ...BR };
  const response = await app.app.fetch(new Request(`${ORIGIN}/tags/new/`, { method: "POST", body, headers }));
  const html = await response.text();
  assert.ok(html.length > COMPRESS_MIN_BYTES);
  assert.deepEqual([response.status, response.headers.get("content-encoding")], [400, null]);
});

Deno.test("replies to unsafe methods, errors and short responses are not compressed", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  assert.equal(await encodingOf(client, `${PATHS.tags}?limit=1&fields=id`), null);
  assert.equal(
    await encodingOf(client, `${PATHS.tags}?unknown_${"x".repeat(2 * COMPRESS_MIN_BYTES)}=1`),
    null,
  );
  const body = Array.from(
    { length: 5 },
    (_, n) => ({ name: `t${n}`, slug: `t${n}`, description: "y".repeat(200) }),
  );
  const posted = await client(PATHS.tags, { method: "POST", body, headers: BR });
  const text = await posted.text();
  assert.ok(text.length > COMPRESS_MIN_BYTES);
  assert.deepEqual([posted.status, posted.headers.get("content-encoding")], [201, null]);
});

Deno.test("HEAD has the length and no body, whatever it accepts", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const path = `${PATHS.certificates}?limit=50`;
  const length = (await bytesOf(await client(path))).length;
  const head = await client(path, { method: "HEAD", headers: BR });
  assert.deepEqual([head.headers.get("content-length"), head.headers.get("content-encoding")], [
    String(length),
    null,
  ]);
  assert.equal((await bytesOf(head)).length, 0);
});

Deno.test("assets are immutable and sent compressed", async () => {
  await using app = await testApp();
  const client = await app.as("nobody");
  const html = await (await client("/sign-in/")).text();
  const paths = [...html.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path]) => path as string);
  const css = paths.find((path) => path.endsWith("pico.css")) as string;
  const plain = await bytesOf(await client(css));
  for (let time = 0; time < 2; time++) {
    const response = await client(css, { headers: BR });
    assert.equal(response.headers.get("cache-control"), "public, max-age=31536000, immutable");
    assert.equal(response.headers.get("content-encoding"), "br");
    assert.deepEqual(new Uint8Array(brotliDecompressSync(await bytesOf(response))), plain);
  }
  assert.equal((await client(css.replace(/[0-9a-f]{12}/, "0".repeat(12)), { headers: BR })).status, 404);
});

for (const path of ["/api/schema/swagger-ui/swagger-ui.css", "/graphql/viewer/json.worker.js"]) {
  Deno.test(`${path}, which is stored compressed, is the same for clients that accept no compression`, async () => {
    await using app = await testApp();
    const client = await app.as("nobody");
    const [plain, br, gzip] = await Promise.all([{}, BR, GZIP].map((headers) => client(path, { headers })));
    assert.deepEqual(
      [plain, br, gzip].map((response) => response?.headers.get("content-encoding")),
      [null, "br", "gzip"],
    );
    for (const response of [plain, br, gzip]) {
      assert.match(response?.headers.get("vary") ?? "", /Accept-Encoding/);
    }
    const text = await bytesOf(plain as Response);
    assert.ok(text.length > 100_000);
    const [short, zipped] = [await bytesOf(br as Response), await bytesOf(gzip as Response)];
    assert.deepEqual(new Uint8Array(brotliDecompressSync(short)), text);
    assert.deepEqual(new Uint8Array(gunzipSync(zipped)), text);
    assert.ok(short.length < text.length / 4 && zipped.length < text.length / 3);
    const { status, headers } = await client(path, { method: "HEAD" });
    assert.deepEqual([status, headers.get("content-encoding"), headers.get("content-length")], [
      200,
      null,
      null,
    ]);
  });
}

for (const format of ["json", "csv", "yaml", "pem"]) {
  Deno.test(`an export (${format}) is the same when it is compressed while it is sent`, async () => {
    await using app = await testApp();
    const client = await app.as("superuser");
    const path = `${PATHS.certificates}export/?format=${format}`;
    const plain = await bytesOf(await client(path));
    const response = await client(path, { headers: GZIP });
    assert.equal(response.headers.get("content-encoding"), "gzip");
    assert.deepEqual(new Uint8Array(gunzipSync(await bytesOf(response))), plain);
  });
}

Deno.test("the start of a body is read at once, the rest on demand; a reader that cancels ends it", async () => {
  let [produced, cancelled] = [0, false];
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => controller.enqueue(new Uint8Array([produced++])),
    cancel: () => {
      cancelled = true;
    },
  }, { highWaterMark: 0 });
  const start = await readStart(body);
  assert.ok("stream" in start);
  assert.equal(produced, 2);
  const reader = start.stream.getReader();
  for (let n = 0; n < 5; n++) assert.deepEqual((await reader.read()).value, new Uint8Array([n]));
  assert.equal(produced, 5);
  await reader.cancel();
  assert.ok(cancelled);
});

Deno.test("a body that fails at its start fails for its reader", async () => {
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: () => Promise.reject(new Error("broken")),
  });
  const start = await readStart(body);
  assert.ok("stream" in start);
  await assert.rejects(start.stream.getReader().read(), /broken/);
});
