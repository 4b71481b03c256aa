/** Exports by POST, and of one certificate. */

import assert from "node:assert/strict";
import { MAX_FILTER_VALUES } from "../../../src/filters/limits.ts";
import { granted, readerOf } from "../../support/actors.ts";
import { certificate, PATHS } from "../../support/paths.ts";
import { CHAIN, pki } from "../../support/pki.ts";
import { scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";

const EXPORT = `${PATHS.certificates}export/`;
const { certificates: ids } = seed;
const CSV = "text/csv; charset=utf-8";
const PEM = "application/x-pem-file; charset=utf-8";

type Rows = Record<string, unknown>[];

scenario("Export by POST: the body has the same effect as the query", {
  as: readerOf("acme"),
  post: EXPORT,
  body: {
    format: "json",
    ids: [1, 2, 6],
    fields: ["id", "status"],
    status: ["active", "pending"],
    tenant_id: 1,
  },
  status: 200,
  equals: [{ id: 1, status: "active" }, { id: 2, status: "active" }],
});
scenario("Export by POST without a body exports everything", {
  as: "superuser",
  post: EXPORT,
  status: 200,
  json: (rows: Rows) => assert.equal(rows.length, 12),
});
for (const name of ["format", "ids", "fields", "include_pem", "include_chain"]) {
  scenario(`Export by POST with null for ${name} is refused`, {
    as: "superuser",
    post: EXPORT,
    body: { [name]: null },
    status: 400,
    equals: { [name]: ["This field may not be null. Leave it out for its default."] },
  });
}
scenario("Export by POST in another format", {
  as: "superuser",
  post: EXPORT,
  body: { format: "csv", ids: [1], fields: ["id"] },
  status: 200,
  type: CSV,
  contains: ["id\r\n1\r\n"],
});
scenario("Export by POST of an empty list of ids is empty", {
  as: "superuser",
  post: EXPORT,
  body: { ids: [] },
  status: 200,
  equals: [],
});
for (
  const [what, body, name] of [
    ["an unknown parameter", { nonsense: 1 }, "nonsense"],
    ["a nested value", { status: { in: ["active"] } }, "status"],
    ["a list of lists", { ids: [[1]] }, "ids"],
    ["invalid ids", { ids: ["one"] }, "ids"],
  ] as const
) {
  scenario(`Export by POST refuses ${what}`, {
    as: "superuser",
    post: EXPORT,
    body,
    status: 400,
    json: (given) => assert.deepEqual(Object.keys(given), [name]),
  });
}
for (const body of [[1, 2], 5, "csv"]) {
  scenario(`Export by POST refuses the body ${JSON.stringify(body)}`, {
    as: "superuser",
    post: EXPORT,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    status: 400,
    contains: ["Expected an object"],
  });
}
scenario("Export by POST refuses malformed JSON", {
  as: "superuser",
  post: EXPORT,
  headers: { "content-type": "application/json" },
  body: "{",
  status: 400,
});
scenario("Export by POST accepts only JSON", {
  as: "superuser",
  post: EXPORT,
  body: "format=csv",
  status: 415,
});
scenario("Export by POST limits its body", {
  as: "superuser",
  post: EXPORT,
  body: { ids: Array(100).fill(1) },
  app: { maxBodyBytes: 100 },
  status: 413,
});
scenario("Export by POST accepts a thousand values of a filter", {
  as: "superuser",
  post: EXPORT,
  body: { id: Array.from({ length: MAX_FILTER_VALUES }, (_, index) => index), fields: ["id"] },
  status: 200,
});
scenario("Export by POST refuses more than a thousand values of a parameter", {
  as: "superuser",
  post: EXPORT,
  body: { fields: Array(MAX_FILTER_VALUES + 1).fill("id") },
  status: 400,
  equals: { fields: ["Expected at most 200 values, not 1001."] },
});
scenario("Export by POST refuses more parameters than an object in a body may have members", {
  as: "superuser",
  post: EXPORT,
  body: Object.fromEntries(Array.from({ length: 1_201 }, (_, index) => [`a${index}`, 1])),
  status: 400,
  equals: { detail: "JSON parse error - an object has more than 1000 members." },
});
scenario("Export by POST needs view", { as: granted([]), post: EXPORT, body: {}, status: 403 });
scenario("Export by POST needs credentials", { as: "nobody", post: EXPORT, body: {}, status: 401 });

scenario("Export of one certificate has a file named after it", {
  as: readerOf("acme"),
  get: certificate(ids.acmeWeb, "export/?format=pem"),
  status: 200,
  type: PEM,
  answers: {
    "content-disposition":
      "attachment; filename=\"www.acme.example.pem\"; filename*=UTF-8''www.acme.example.pem",
  },
  contains: [pki.stored.acme.pem.trim(), ...CHAIN.split(/(?<=-----END CERTIFICATE-----)\n/).filter(Boolean)],
});
scenario("Export of one certificate in JSON is a list of one", {
  as: readerOf("acme"),
  get: certificate(ids.acmeWeb, "export/?fields=id"),
  status: 200,
  equals: [{ id: 1 }],
});
for (const [what, id] of [["a hidden", ids.globexWeb], ["a missing", 999]] as const) {
  scenario(`Export of one certificate answers the ordinary 404 for ${what} one`, {
    as: readerOf("acme"),
    get: certificate(id, "export/?format=pem"),
    status: 404,
    equals: { detail: "Not found." },
  });
}
scenario("Export of one certificate accepts no filters", {
  as: "superuser",
  get: certificate(1, "export/?status=active"),
  status: 400,
  contains: ["status"],
});
scenario("Export of one certificate needs view", {
  as: granted([]),
  get: certificate(1, "export/"),
  status: 403,
});
scenario("Export of one certificate needs credentials", {
  as: "nobody",
  get: certificate(1, "export/"),
  status: 401,
});
for (
  const name of [
    'a"; filename="evil.exe',
    "a\r\nSet-Cookie: x=y",
    "../../etc/passwd",
    "ümläut \u202e",
    "%00",
    "a;b,c",
  ]
) {
  scenario(`The name ${JSON.stringify(name)} cannot break out of the header`, {
    as: "superuser",
    before: async (app) => {
      const chief = await app.as("superuser");
      const changed = await chief(certificate(1), { method: "PATCH", body: { common_name: name } });
      assert.equal(changed.status, 200);
    },
    get: certificate(1, "export/?fields=id"),
    status: 200,
    answers: {
      "content-disposition": /^attachment; filename="[\w.*-]+\.json"; filename\*=UTF-8''[\w.%*-]+\.json$/,
      "set-cookie": null,
    },
  });
}
