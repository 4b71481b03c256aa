/** The router returns the same matches as Hono's trie router, also from its cache. */

import assert from "node:assert/strict";
import { TrieRouter } from "hono/router/trie-router";
import { MethodSafeRouter } from "../../src/middleware/mod.ts";

const ROUTES = [
  ["ALL", "/*", "middleware"],
  ["GET", "/api/things/", "list"],
  ["POST", "/api/things/", "create"],
  ["GET", "/api/things/export/", "export"],
  ["GET", "/api/things/:id{[0-9]+}/", "detail"],
  ["GET", "/api/things/:id{[0-9]+}/history/", "history"],
  ["GET", "/pages/:kind/:id{[0-9]+}/", "page"],
  ["GET", "/files/:rest{.+}", "file"],
  ["GET", "/pairs/:a{[0-9]+}/:b{[0-9]+}/", "pair"],
] as const;
const PATHS = [
  "/api/things/",
  "/api/things/export/",
  "/api/things/0/",
  "/api/things/7/",
  "/api/things/12345/",
  "/api/things/12345/history/",
  "/api/things/12a/",
  "/pages/web0/12/",
  "/pages/12/12/",
  "/files/a/0/b",
  "/files/a/12/b",
  "/files/0",
  "/pairs/1/2/",
  "/pairs/0/2/",
  "/nothing/7/",
  "/",
];

Deno.test("a match is that of the trie router, also when it is cached", () => {
  const router = new MethodSafeRouter<string>();
  const trie = new TrieRouter<string>();
  for (const [method, path, name] of ROUTES) {
    router.add(method, path, name);
    trie.add(method, path, name);
  }
  const plain = (found: unknown): unknown => JSON.parse(JSON.stringify(found));
  for (let round = 0; round < 3; round++) {
    for (const method of ["GET", "POST", "DELETE"]) {
      for (const path of round === 1 ? PATHS.toReversed() : PATHS) {
        assert.deepEqual(
          plain(router.match(method, path)),
          plain(trie.match(method, path)),
          `${method} ${path}`,
        );
      }
    }
  }
});

Deno.test("a route that is added later is found", () => {
  const router = new MethodSafeRouter<string>();
  router.add("GET", "/a/", "a");
  assert.equal(router.match("GET", "/a/")[0].length, 1);
  router.add("GET", "/a/*", "more");
  assert.equal(router.match("GET", "/a/")[0].length, 2);
});

Deno.test("all unknown methods match in the same way", () => {
  const router = new MethodSafeRouter<string>();
  router.add("ALL", "/a/", "a");
  for (const method of ["constructor", "__proto__", "BREW"]) {
    assert.equal(router.match(method, "/a/")[0].length, 1, method);
  }
});
