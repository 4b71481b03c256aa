/** Paths: maps, slashes, methods, and the origin in URLs. */

import assert from "node:assert/strict";
import { readerOf } from "../../support/actors.ts";
import { certificate, PATHS } from "../../support/paths.ts";
import { scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";

const NOT_FOUND = { detail: "Not found." };

scenario("GET /api/ maps names to addresses, for everybody", {
  as: "nobody",
  get: "/api/",
  status: 200,
  json: (body) => {
    assert.equal(body.plugins, "https://certmgr.example/api/plugins/");
    assert.equal(body.status, "https://certmgr.example/api/status/");
    for (const name of ["tenancy", "extras", "users", "core", "schema"]) assert(name in body, name);
  },
});
scenario("GET /api/plugins/ maps the plugin and the list of plugins", {
  as: "nobody",
  get: "/api/plugins/",
  status: 200,
  equals: {
    certmgr: "https://certmgr.example/api/plugins/certmgr/",
    "installed-plugins": "https://certmgr.example/api/plugins/installed-plugins/",
  },
});
scenario("GET /api/plugins/certmgr/ maps the specified collections", {
  as: "nobody",
  get: "/api/plugins/certmgr/",
  status: 200,
  json: (body) => {
    for (const name of ["certificates", "certificate-authorities", "assignments"]) {
      assert.equal(body[name], `https://certmgr.example/api/plugins/certmgr/${name}/`);
    }
  },
});
for (const level of ["tenancy", "extras", "users", "core", "users/tokens"]) {
  const isCollection = level === "users/tokens";
  scenario(
    `GET /api/${level}/ is ${isCollection ? "the collection, not a map" : "a map that needs no credentials"}`,
    {
      as: "nobody",
      get: `/api/${level}/`,
      status: isCollection ? 401 : 200,
    },
  );
}
scenario("GET /api/status/ needs credentials", { as: "nobody", get: "/api/status/", status: 401 });
scenario(
  "GET /api/status/ returns versions, also NetBox's, and the numbers of rows that the caller may view",
  {
    as: readerOf("acme"),
    get: "/api/status/",
    status: 200,
    json: (body) => {
      assert.equal(body["netbox-version"], "4.6.0");
      assert.match(body["certmgr-version"], /^\d+\.\d+\.\d+$/);
      assert.deepEqual(body.counts, { certificates: 5, tenants: 1, users: 1 });
    },
  },
);

for (
  const path of [
    "/api/nonsense/",
    "/api/plugins/certmgr/nonsense/",
    `${PATHS.certificates}x/`,
    "/api//",
  ]
) {
  scenario(`GET ${path} answers 404 as JSON, even without credentials`, {
    as: "nobody",
    get: path,
    status: 404,
    equals: NOT_FOUND,
  });
}
scenario("GET of an unknown path outside the API answers 404 as a page", {
  as: "nobody",
  get: "/nonsense",
  status: 404,
  type: "text/html; charset=utf-8",
  contains: ["Not found"],
});
for (const id of ["0", "999999999999999", "9007199254740993", "1e3", "-1", "1.0", "%31x"]) {
  scenario(`GET certificates/${id}/ answers 404`, {
    as: "superuser",
    get: `${PATHS.certificates}${id}/`,
    status: 404,
    equals: NOT_FOUND,
  });
}

scenario("GET without the trailing slash is redirected to the URL with it, including the query", {
  as: "nobody",
  get: "/api/plugins/certmgr/certificates?status=active&limit=1",
  status: 301,
  answers: { location: "https://certmgr.example/api/plugins/certmgr/certificates/?status=active&limit=1" },
});
scenario("GET of an object without the trailing slash is redirected to the URL with it", {
  as: "nobody",
  get: "/api/plugins/certmgr/certificates/1",
  status: 301,
  answers: { location: "https://certmgr.example/api/plugins/certmgr/certificates/1/" },
});
for (const verb of ["post", "put", "patch", "delete"] as const) {
  scenario(`${verb.toUpperCase()} without the trailing slash is refused with the right URL`, {
    as: "superuser",
    [verb]: "/api/plugins/certmgr/certificates/1",
    body: {},
    status: 404,
    equals: {
      detail:
        "Not found. The address is https://certmgr.example/api/plugins/certmgr/certificates/1/ (with a slash at the end).",
    },
  });
}
scenario("GET of an unknown path without a slash answers 404", {
  as: "nobody",
  get: "/api/nonsense",
  status: 404,
  equals: NOT_FOUND,
});

for (
  const [verb, path, allow] of [
    ["post", certificate(1), "GET, PUT, PATCH, DELETE, HEAD, OPTIONS"],
    ["put", `${PATHS.certificates}import/`, "POST, OPTIONS"],
    ["delete", "/api/status/", "GET, HEAD, OPTIONS"],
    ["patch", PATHS.changes, "GET, HEAD, OPTIONS"],
    ["post", PATHS.changes, "GET, HEAD, OPTIONS"],
    ["delete", `${PATHS.changes}1/`, "GET, HEAD, OPTIONS"],
  ] as const
) {
  scenario(`${verb.toUpperCase()} ${path} answers 405 and lists the allowed methods`, {
    as: "superuser",
    [verb]: path,
    body: {},
    status: 405,
    equals: { detail: `Method "${verb.toUpperCase()}" not allowed.` },
    answers: { allow },
  });
}
scenario("HEAD is GET without a body", {
  as: "superuser",
  head: PATHS.tags,
  status: 200,
});

scenario("Absolute URLs begin with the configured base URL", {
  as: readerOf("acme"),
  get: certificate(seed.certificates.acmeWeb),
  app: { baseUrl: "https://inventory.example:8443" },
  status: 200,
  excludes: ["certmgr.example/"],
  json: (body) => {
    assert.equal(body.url, "https://inventory.example:8443/api/plugins/certmgr/certificates/1/");
    assert.equal(body.tenant.url, "https://inventory.example:8443/api/tenancy/tenants/1/");
  },
});
const FORWARDED = {
  "x-forwarded-proto": "http",
  "x-forwarded-host": "front.example:8080",
  "x-forwarded-for": "198.51.100.7",
};
scenario("Forwarded headers of clients that are not configured proxies are ignored", {
  as: readerOf("acme"),
  get: certificate(1, "?fields=url"),
  headers: FORWARDED,
  status: 200,
  equals: { url: "https://certmgr.example/api/plugins/certmgr/certificates/1/" },
  logs: ['"address":"192.0.2.1"'],
});
scenario("Forwarded headers of a configured proxy determine origin and address", {
  as: readerOf("acme"),
  get: certificate(1, "?fields=url"),
  headers: FORWARDED,
  app: { trustedProxies: ["192.0.2.0/24"] },
  status: 200,
  equals: { url: "http://front.example:8080/api/plugins/certmgr/certificates/1/" },
  logs: ['"address":"198.51.100.7"'],
});
scenario("The configured base URL takes precedence over a configured proxy", {
  as: readerOf("acme"),
  get: certificate(1, "?fields=url"),
  headers: FORWARDED,
  app: { trustedProxies: ["192.0.2.1"], baseUrl: "https://inventory.example" },
  status: 200,
  equals: { url: "https://inventory.example/api/plugins/certmgr/certificates/1/" },
});
scenario("Addresses that a client has put before those of the proxies are ignored", {
  as: readerOf("acme"),
  get: certificate(1, "?fields=id"),
  headers: { "x-forwarded-for": "203.0.113.99, 198.51.100.7, 192.0.2.9" },
  app: { trustedProxies: ["192.0.2.0/24"] },
  status: 200,
  logs: ['"address":"198.51.100.7"'],
});
scenario("An invalid forwarded host does not change the origin", {
  as: readerOf("acme"),
  get: certificate(1, "?fields=url"),
  headers: { "x-forwarded-host": "evil example/<x>" },
  app: { trustedProxies: ["192.0.2.1"] },
  status: 200,
  equals: { url: "https://certmgr.example/api/plugins/certmgr/certificates/1/" },
});

scenario("By default no origin may read responses in a browser", {
  as: "superuser",
  get: PATHS.tags,
  headers: { origin: "https://app.example" },
  status: 200,
  answers: { "access-control-allow-origin": null, "access-control-allow-credentials": null },
});
scenario("A configured origin may read responses, without cookies", {
  as: "superuser",
  get: PATHS.tags,
  headers: { origin: "https://app.example" },
  app: { corsOrigins: ["https://app.example"] },
  status: 200,
  answers: {
    "access-control-allow-origin": "https://app.example",
    "access-control-allow-credentials": null,
    vary: /Origin/,
  },
});
scenario("Another origin than the configured one may not read responses", {
  as: "superuser",
  get: PATHS.tags,
  headers: { origin: "https://evil.example" },
  app: { corsOrigins: ["https://app.example"] },
  status: 200,
  answers: { "access-control-allow-origin": null },
});
scenario("A preflight request of a configured origin is answered without credentials", {
  as: "nobody",
  options: PATHS.certificates,
  headers: { origin: "https://app.example", "access-control-request-method": "PATCH" },
  app: { corsOrigins: ["https://app.example"] },
  status: 204,
  answers: { "access-control-allow-origin": "https://app.example", "access-control-allow-methods": /PATCH/ },
});
scenario("Responses forbid framing, sniffing and shared caches", {
  as: "superuser",
  get: PATHS.tags,
  status: 200,
  answers: {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cache-control": "private, no-cache",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    vary: "Accept, Authorization, Accept-Encoding",
  },
});
