/** Hostile bodies: malformed, deeply nested, large, many, and with keys and paths that have a meaning elsewhere. */

import assert from "node:assert/strict";
import { BodyBudget } from "../../src/base/body_bytes.ts";
import { MAX_JSON_MEMBERS, MAX_JSON_VALUES } from "../../src/base/scan_json.ts";
import { readJson } from "../../src/rest/body.ts";
import { testApp } from "../support/app.ts";
import { ask, refused } from "../support/hostile.ts";
import { cpuMillis } from "../support/cpu_time.ts";
import { PATHS } from "../support/paths.ts";
import { seed } from "../support/seed.ts";

const JSON_TYPE = { "content-type": "application/json" };

const MALFORMED = [
  "{",
  "}",
  "[",
  '{"name":}',
  "{'name': 'x'}",
  '{"name": "x",}',
  '{"name": "x"} {}',
  "\u{FEFF}{",
  "nul",
  "NaN",
  "Infinity",
  "01",
  '"\\x"',
  '{"a": "\n"}',
  "undefined",
  "<xml/>",
  "[1,]",
  '{"a": 1e}',
  "-",
  '"'.repeat(1_001),
];

Deno.test("malformed JSON of any kind is refused", async () => {
  await using app = await testApp();
  await refused(app, async (client) => {
    const statuses: number[] = [];
    for (const body of MALFORMED) {
      const { status, text } = await ask(client, "POST", PATHS.tenants, body);
      assert.match(text, /^\{"detail":"JSON parse error - /, body);
      statuses.push(status);
    }
    for (
      const bytes of [[0xff, 0xfe, 0x7b], [0x22, 0xc3, 0x28, 0x22], [0x00], [0x22, 0xed, 0xa0, 0x80, 0x22]]
    ) {
      const response = await client(PATHS.tenants, {
        method: "POST",
        body: new Uint8Array(bytes),
        headers: JSON_TYPE,
      });
      statuses.push(response.status);
      assert.match((await response.json()).detail, /^JSON parse error - /);
    }
    return statuses;
  });
});

const HALF_PAIRS = [
  '"\\ud83d"',
  '"\\uDE00"',
  '"\\ud83dx"',
  '"\\ud83d\\n"',
  '"\\ud83d\\u0041"',
  '"\\ud83d\\ud83d\\ude00"',
  '"\\ud83d\\ude00\\ude00"',
  '"\u{1F600}\\udfff"',
  '{"\\udbff": 1}',
  '["\\ud83d", "\\ude00"]',
];
const WHOLE_PAIRS = [
  '"\\ud83d\\ude00"',
  '"\\uD83D\\uDE00"',
  '"\\\\ud83d"',
  '"\\\\\\\\ude00"',
  '"\\ue000\\ud7ff"',
  '"\\udbff\\udfff\\ud800\\udc00"',
  '{"\u{1F600}\\ud83d\\ude00": "\\""}',
];

Deno.test("an escaped lone surrogate is refused anywhere, a complete pair is accepted", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  for (const text of HALF_PAIRS) {
    const { text: answer } = await ask(client, "POST", PATHS.tenants, text);
    assert.equal(JSON.parse(answer).detail, "JSON parse error - a text is not well-formed Unicode.", text);
  }
  for (const text of WHOLE_PAIRS) {
    const { text: answer } = await ask(client, "POST", PATHS.tenants, text);
    assert.doesNotMatch(answer, /JSON parse error/, text);
  }
});

Deno.test("a large body with an escaped surrogate pair takes little more time than its parsing", async () => {
  const text = `[${Array(240_000).fill('"abcdefg"').join(",")},"\\ud83d\\ude00"]`;
  const bytes = new TextEncoder().encode(text);
  const read = async (): Promise<void> => {
    const request = new Request("http://certmgr.example/", {
      method: "POST",
      body: bytes,
      headers: JSON_TYPE,
    });
    await readJson({ request, body: new BodyBudget().bodyOf(request), maxBytes: bytes.length });
  };
  const parse = (): unknown => JSON.parse(new TextDecoder().decode(bytes));
  // Processor time of several rounds: its clock is coarse.
  let [ours, floor] = [0, 0];
  for (let round = 0; round < 10; round++) {
    let before = cpuMillis();
    parse();
    floor += cpuMillis() - before;
    before = cpuMillis();
    await read();
    ours += cpuMillis() - before;
  }
  assert(ours < 3 * floor + 100, `${ours} ms, ${floor} ms for the parsing alone`);
});

Deno.test("deep nesting is refused before it is parsed, in time", async () => {
  await using app = await testApp();
  await refused(app, async (client) => {
    const before = cpuMillis();
    const statuses: number[] = [];
    for (const depth of [33, 1_000, 1_000_000]) {
      for (const [open, close] of [["[", "]"], ['{"a":', "}"]] as const) {
        const body = `${open.repeat(depth)}1${close.repeat(depth)}`;
        statuses.push((await ask(client, "POST", PATHS.tenants, body)).status);
      }
    }
    assert(cpuMillis() - before < 5_000);
    return statuses;
  });
});

Deno.test("a body of 10 MiB is accepted, one byte more is refused", async () => {
  await using app = await testApp();
  await refused(app, async (client) => {
    const frame = '{"name":"","slug":"x"}';
    const body = frame.replace('""', `"${"x".repeat(10 * 1024 * 1024 - frame.length)}"`);
    const fits = await ask(client, "POST", PATHS.tenants, body);
    assert.deepEqual(JSON.parse(fits.text), { name: ["Ensure this field has no more than 100 characters."] });
    const large = await ask(client, "POST", PATHS.tenants, `${body} `);
    assert.equal(large.status, 413);
    return [fits.status, large.status];
  });
});

Deno.test("a body whose Content-Length is too large is not read at all", async () => {
  await using app = await testApp({ maxBodyBytes: 1_000 });
  const client = await app.as("superuser");
  let pulled = 0;
  const body = new ReadableStream({
    pull(controller): void {
      pulled++;
      controller.enqueue(new Uint8Array(100));
    },
  }, { highWaterMark: 0 });
  const headers = { ...JSON_TYPE, "content-length": "1001" };
  const response = await client(PATHS.tenants, { method: "POST", body, headers });
  assert.deepEqual([response.status, pulled], [413, 0]);
  await response.body?.cancel();
});

Deno.test("more objects than a request may have are refused", async () => {
  await using app = await testApp();
  await refused(app, async (client) => {
    const list = Array.from(
      { length: 1_001 },
      (_, index) => ({ id: index + 1, name: `n${index}`, slug: `s${index}` }),
    );
    const calls = ["POST", "PATCH", "PUT", "DELETE"].map((method) =>
      ask(client, method, PATHS.tenants, list)
    );
    return (await Promise.all(calls)).map(({ status, text }) => {
      assert.match(text, /Expected a list of at most 1000 objects, not 1001/);
      return status;
    });
  });
});

Deno.test("keys of built-in properties are ordinary unknown keys", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const body = '{"__proto__": {"name": "polluted"}, "constructor": {"prototype": {"x": 1}}, "slug": "x"}';
  const { status, text } = await ask(client, "POST", PATHS.tenants, body);
  assert.deepEqual([status, JSON.parse(text)], [400, { name: ["This field is required."] }]);
  assert.equal(({} as Record<string, unknown>).name, undefined);
  const constraints =
    '{"name": "x", "object_types": ["extras.tag"], "actions": ["view"], "constraints": {"__proto__": 1}}';
  assert.equal((await ask(client, "POST", PATHS.permissions, constraints)).status, 400);
});

Deno.test("malformed requests get the status that describes them", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  for (
    const path of [
      "/api/%",
      "/api/%ff/",
      "/api/..%2f..%2fetc/passwd",
      "/api/plugins/certmgr/certificates/%00/",
      "/api/\\/",
    ]
  ) {
    assert.equal((await ask(client, "GET", path)).status, 404, path);
  }
  for (const method of ["PROPFIND", "SEARCH", "X".repeat(100)]) {
    const { status, text } = await ask(client, method, PATHS.tags);
    assert.equal(status, 405, text);
    assert(text.length < 100);
  }
  const expected = await client(`${PATHS.tags}${seed.tags.prod}/`, {
    headers: { "if-none-match": '"'.repeat(10_000) },
  });
  assert.equal(expected.status, 200);
  await expected.body?.cancel();
});

Deno.test("a JSON body has at most MAX_JSON_VALUES values, however short", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const send = async (count: number): Promise<string> => {
    const body = `{"unknown":[${Array(count).fill("{}").join(",")}]}`;
    const response = await client(PATHS.tags, {
      method: "POST",
      body,
      headers: { "content-type": "application/json" },
    });
    return await response.text();
  };
  // An empty object counts as one member more. The outer object and its list are two more.
  const most = Math.floor((MAX_JSON_VALUES - 2) / 2);
  assert.doesNotMatch(await send(most), /parse error/);
  assert.match(await send(most + 1), /more than 250000 values/);
});

Deno.test("an object in a JSON body has at most MAX_JSON_MEMBERS members, at any depth", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const wide = (count: number): string =>
    `{${Array.from({ length: count }, (_, index) => `"n${index}":[",",{}]`).join(",")}}`;
  for (const body of [wide, (count: number) => `[{"a":[1,{"b":2},${wide(count)}],"c":3}]`]) {
    const send = async (count: number): Promise<string> => {
      const headers = { "content-type": "application/json" };
      return await (await client(PATHS.tags, { method: "POST", body: body(count), headers })).text();
    };
    assert.doesNotMatch(await send(MAX_JSON_MEMBERS), /parse error/);
    assert.match(await send(MAX_JSON_MEMBERS + 1), /an object has more than 1000 members/);
  }
});

Deno.test("a compressed body of any kind is refused with 415, identity is accepted", async () => {
  await using app = await testApp();
  await refused(app, async (client) => {
    const statuses: number[] = [];
    for (const encoding of ["gzip", "GZIP", "br", "deflate", "zstd", "gzip, br", "x"]) {
      for (const path of [PATHS.tenants, "/graphql/", `${PATHS.certificates}import-file/`]) {
        const headers = { ...JSON_TYPE, "content-encoding": encoding };
        const response = await client(path, {
          method: "POST",
          body: new Uint8Array([0x1f, 0x8b, 8]),
          headers,
        });
        assert.equal(response.headers.get("accept-encoding"), "identity");
        assert.match(await response.text(), /Unsupported content encoding/);
        assert.equal(response.status, 415, `${encoding} ${path}`);
        statuses.push(response.status);
      }
    }
    return statuses;
  });
  const client = await app.as("superuser");
  const headers = { ...JSON_TYPE, "content-encoding": "identity" };
  const body = new TextEncoder().encode('{"name": "Nordwind", "slug": "nordwind"}');
  assert.equal((await client(PATHS.tenants, { method: "POST", body, headers })).status, 201);
});
