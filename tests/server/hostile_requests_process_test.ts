/**
 * Requests that no HTTP library would send, to a service process: each is refused clearly, and none causes an internal
 * error.
 */

import assert from "node:assert/strict";
import { HTTP_METHODS } from "../../src/base/http_methods.ts";
import { MAX_QUERY_CHARS, MAX_QUERY_PARAMETERS } from "../../src/middleware/receive.ts";
import { adminOf, type RunningService, startService, testFolder } from "../cli/process.ts";
import { startListening } from "../support/listening.ts";
import { askRaw, connectRaw, type RawAnswer } from "../support/raw_http.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const PATHS = ["/", "/healthz", "/api/", "/api/extras/tags/", "/graphql/", "/sign-in/", "/nothing/"];

/**
 * Runs `work` with a service; afterwards it must still answer, and its log must have neither an internal error nor a
 * 5xx.
 */
async function withService(work: (service: RunningService, token: string) => Promise<void>): Promise<void> {
  await using folder = await testFolder();
  await using service = await startService({ CERTMGR_DATA_DIR: `${folder.path}/data` });
  await work(service, adminOf(service.greeting).token);
  assert.equal((await askRaw(service.url, request({ path: "/readyz" })))?.status, 200);
  service.signal("SIGTERM");
  const { code, stderr } = await service.ended();
  assert.equal(code, 0);
  const lines = stderr.trim().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(lines.filter(({ level, status }) => level === "error" || status >= 500), []);
}

function request(
  { method = "GET", path = "/", host = "localhost", headers = "", body = "" }: {
    method?: string;
    path?: string;
    host?: string;
    headers?: string;
    body?: string;
  },
): string {
  return `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\n${body}`;
}

function requireRefusal(answer: RawAnswer | undefined, statuses: readonly number[], what: string): RawAnswer {
  assert(answer !== undefined, `${what}: no answer`);
  assert(statuses.includes(answer.status), `${what}: ${answer.status} ${answer.text}`);
  assert.match(answer.headers.get("x-request-id") ?? "", UUID, what);
  assert.equal(answer.headers.get("x-content-type-options"), "nosniff", what);
  return answer;
}

const BAD_HOSTS = [
  "a b",
  "[::1",
  "a:99999",
  "a:b:c",
  "%",
  "a/b",
  "a?b",
  "a#b",
  "a\\b",
  "a@b",
  "[x]",
  "a:-1",
  "\u00e4",
];

Deno.test("an invalid host is refused with 400, on every interface", () =>
  withService(async ({ url }) => {
    for (const host of BAD_HOSTS) {
      for (const path of PATHS) {
        const answer = requireRefusal(await askRaw(url, request({ host, path })), [400], `${host} ${path}`);
        assert.match(JSON.parse(answer.text).detail, /^Invalid host "/);
      }
    }
    for (const host of ["localhost", "certs.example.com:8443", "[::1]:80", "10.0.0.1", "a_b-c", ""]) {
      assert.equal((await askRaw(url, request({ host, path: "/api/" })))?.status, 200, host);
    }
    for (const path of ["http://a:99999/", "ftp://a/"]) {
      requireRefusal(await askRaw(url, request({ path })), [400], path);
    }
    assert.equal((await askRaw(url, request({ path: "http://a/api/" })))?.status, 200);
  }));

Deno.test("an unknown method is refused with 405 and the list of known methods", () =>
  withService(async ({ url }) => {
    for (
      const method of ["TRACE", "constructor", "toString", "__proto__", "hasOwnProperty", "get", "PROPFIND"]
    ) {
      for (const path of PATHS) {
        const answer = requireRefusal(
          await askRaw(url, request({ method, path })),
          [405],
          `${method} ${path}`,
        );
        const allowed = answer.headers.get("allow")?.split(", ") ?? [];
        assert(
          allowed.includes("GET") && allowed.every((name) => HTTP_METHODS.has(name)),
          `${path} ${allowed}`,
        );
      }
    }
    const connect = await askRaw(
      url,
      "CONNECT certs.example.com:443 HTTP/1.1\r\nHost: certs.example.com\r\n\r\n",
    );
    requireRefusal(connect, [405], "CONNECT");
    assert.equal((await askRaw(url, request({ method: "OPTIONS", path: "*" })))?.status, 404);
  }));

Deno.test("a truncated or malformed body is not logged as an error of the service", () =>
  withService(async ({ url }, token) => {
    const signed = `Authorization: Token ${token}\r\nContent-Type: application/json\r\n`;
    const bodies = [
      "Content-Length: 100\r\n\r\n{",
      "Transfer-Encoding: chunked\r\n\r\n5\r\n{",
      "Transfer-Encoding: chunked\r\n\r\nzz\r\n{",
      "Transfer-Encoding: chunked\r\n\r\n1\r\n{x",
    ];
    const heads = [
      `POST /api/extras/tags/ HTTP/1.1\r\nHost: a\r\n${signed}`,
      `POST /graphql/ HTTP/1.1\r\nHost: a\r\n${signed}`,
      "POST /api/users/tokens/provision/ HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n",
      "POST /sign-in/ HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n",
    ];
    for (const head of heads) {
      for (const body of bodies) {
        for (const half of [true, false]) {
          // After a complete request on the same connection.
          using connection = await connectRaw(url);
          await connection.send(request({ path: "/healthz" }) + head + body);
          assert.equal((await connection.answer())?.status, 200);
          if (!half) continue;
          await connection.end();
          const answer = await connection.answer();
          assert(answer === undefined || answer.status < 500, `${head}${body}: ${answer?.status}`);
        }
      }
    }
  }));

Deno.test("pipelined requests are answered in order", () =>
  withService(async ({ url }) => {
    using connection = await connectRaw(url);
    const paths = Array.from({ length: 100 }, (_, index) => index % 2 === 0 ? "/healthz" : "/api/nothing/");
    await connection.send(paths.map((path) => request({ path })).join("") + "GET / HT");
    for (const path of paths) {
      assert.equal((await connection.answer())?.status, path === "/healthz" ? 200 : 404);
    }
  }));

Deno.test("a long address and many or long headers are refused with 4xx", () =>
  withService(async ({ url }, token) => {
    const authorization = `Authorization: Token ${token}\r\n`;
    const tags = (query: string): string =>
      request({ path: `/api/extras/tags/?${query}`, headers: authorization });
    const fill = (length: number): string => `q=${"x".repeat(length - 2)}`;
    for (const path of PATHS) {
      const answer = await askRaw(url, request({ path: `${path}?${fill(MAX_QUERY_CHARS + 1)}` }));
      requireRefusal(answer, [414], path);
    }
    assert.equal((await askRaw(url, tags(fill(MAX_QUERY_CHARS))))?.status, 400);
    const ids = (count: number): string => Array.from({ length: count }, (_, id) => `id=${id}`).join("&");
    const many = requireRefusal(await askRaw(url, tags(ids(MAX_QUERY_PARAMETERS + 1))), [400], "many");
    assert.match(many.text, /Too many query parameters\. Expected at most 1200\./);
    assert.equal((await askRaw(url, tags(ids(1_000))))?.status, 200);
    for (
      const asked of [
        request({ path: `/${"a".repeat(65_000)}` }),
        request({ path: `/api/${"%61".repeat(20_000)}/` }),
        request({ path: `/${"/".repeat(60_000)}` }),
        request({ headers: "x: y\r\n".repeat(5_000) }),
        request({ headers: `x: ${"y".repeat(1_000_000)}\r\n` }),
        request({ path: "/api/extras/tags/", headers: `Authorization: Token ${"y".repeat(50_000)}\r\n` }),
        request({ path: "/profile/", headers: `Cookie: ${"a=b;".repeat(10_000)}\r\n` }),
      ]
    ) {
      const status = (await askRaw(url, asked))?.status;
      assert(status === undefined || (status >= 300 && status < 500), `${asked.slice(0, 40)} ${status}`);
    }
  }));

Deno.test("a body that stops is answered 408, and its memory is released for others", async () => {
  await using listening = await startListening({
    bodyLimits: { budgetBytes: 300_000, deadlineMs: 300, bytesPerSecond: 1_000_000 },
  });
  const identity = await listening.identify("superuser");
  const headers = Object.entries(identity).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const head = request({
    method: "POST",
    path: "/api/extras/tags/",
    headers: `${headers}Content-Type: application/json\r\nContent-Length: 200000\r\n`,
  });
  for (let round = 0; round < 2; round++) {
    using stalled = await connectRaw(listening.origin);
    await stalled.send(head + " ".repeat(100_000));
    while (listening.service.app.bodyBytes() < 200_000) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    using other = await connectRaw(listening.origin);
    await other.send(head);
    const refused = requireRefusal(await other.answer(), [503], "beyond the budget");
    assert.equal(refused.headers.get("retry-after"), "5");
    const late = requireRefusal(await stalled.answer(), [408], "stalled");
    assert.deepEqual(JSON.parse(late.text), { detail: "The request body arrived too slowly." });
    assert.equal(late.headers.get("connection"), "close");
    assert.equal(listening.service.app.bodyBytes(), 0);
  }
  assert.deepEqual(listening.service.log.filter(({ level }) => level === "error"), []);
});
