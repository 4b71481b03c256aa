/** Endpoints over REST: addresses, probes, and reports of agents. */

import assert from "node:assert/strict";
import { type Actor, granted } from "../../support/actors.ts";
import { PATHS } from "../../support/paths.ts";
import { pki } from "../../support/pki.ts";
import { scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";

const ENDPOINT = "certmgr.endpoint";
const PROBING = { concurrency: 8, discover: "create", retentionDays: 400 } as const;
const PROBE = `${PATHS.endpoints}${seed.endpoints.acme}/probe/`;
const BULK = `${PATHS.endpoints}bulk-probe/`;
const PUSH = `${PATHS.observations}push/`;
const NOT_FOUND = { detail: "Not found." };
const FORBIDDEN = { detail: "You do not have permission to perform this action." };

const prober = (constraints: unknown = null): Actor =>
  granted([{ types: [ENDPOINT], actions: ["view", "probe"], constraints }]);
const agent = (constraints: unknown = null): Actor =>
  granted([{ types: [ENDPOINT], actions: ["push_observations"], constraints }]);

for (
  const [host, canonical] of [
    ["WWW.Acme.Example.", "www.acme.example"],
    ["bücher.example", "xn--bcher-kva.example"],
    ["2001:DB8:0::1", "2001:db8::1"],
    ["[2001:db8::2]", "2001:db8::2"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
  ] as const
) {
  scenario(`POST endpoints/ stores the host ${host} as ${canonical}`, {
    as: "superuser",
    post: PATHS.endpoints,
    body: { host, port: 8443 },
    status: 201,
    changes: [`create ${ENDPOINT}`],
    json: (body) => {
      assert.equal(body.host, canonical);
      assert.deepEqual([body.state, body.states, body.source, body.certificate], [
        "pending",
        [],
        "manual",
        null,
      ]);
    },
  });
}
for (
  const host of [
    "",
    "https://a.example",
    "a.example:443",
    "a b",
    "*.example",
    "10.0.0.256",
    "10.1",
    "a..b",
    5,
    null,
  ]
) {
  scenario(`POST endpoints/ refuses the host ${JSON.stringify(host)}`, {
    as: "superuser",
    post: PATHS.endpoints,
    body: { host },
    status: 400,
    json: (body) => assert.deepEqual(Object.keys(body), ["host"]),
  });
}
for (
  const [field, value] of [
    ["port", 0],
    ["port", 65_536],
    ["protocol", "gopher"],
    ["interval_minutes", 4],
    ["server_name", "192.0.2.1"],
    ["expected_certificate", 999_999],
    ["assigned_object_type", "users.user"],
  ] as const
) {
  scenario(`POST endpoints/ refuses ${field} ${value}`, {
    as: "superuser",
    post: PATHS.endpoints,
    body: { host: "a.example", [field]: value },
    status: 400,
    json: (body) => assert.ok(field in body, JSON.stringify(body)),
  });
}
const EXISTS = { __all__: ["Endpoint with this Host, Port, Server name and Protocol already exists."] };
/**
 * Other notations of the seeded endpoint `www.acme.example:443`; a server name equal to the host is the same as none.
 */
const SAME = [
  { host: "WWW.acme.example" },
  { host: "www.acme.example", port: 443, protocol: "tls", server_name: null },
  { host: "www.acme.example", server_name: "www.acme.example" },
  { host: "www.acme.example", server_name: "WWW.Acme.Example." },
];
/** Endpoints that differ in one identifying column each. */
const OTHER = [
  { host: "www2.acme.example" },
  { host: "www.acme.example", port: 444 },
  { host: "www.acme.example", protocol: "smtp" },
  { host: "www.acme.example", server_name: "shop.acme.example" },
];
for (const body of SAME) {
  scenario(`POST endpoints/ refuses ${JSON.stringify(body)}, which exists`, {
    as: "superuser",
    post: PATHS.endpoints,
    body,
    status: 400,
    equals: EXISTS,
  });
  scenario(`PATCH endpoints/{id}/ refuses ${JSON.stringify(body)}, which exists`, {
    as: "superuser",
    patch: `${PATHS.endpoints}${seed.endpoints.globex}/`,
    body,
    status: 400,
    equals: EXISTS,
  });
}
scenario("POST endpoints/ stores endpoints that differ in one column", {
  as: "superuser",
  post: PATHS.endpoints,
  body: OTHER,
  status: 201,
  changes: OTHER.map(() => `create ${ENDPOINT}`),
});
scenario("POST endpoints/ with a list refuses one that exists, and one that the list has twice", {
  as: "superuser",
  post: PATHS.endpoints,
  body: [...OTHER, SAME[2], { host: "www2.acme.example", server_name: "www2.acme.example" }],
  status: 400,
  changes: [],
  equals: [{}, {}, {}, {}, EXISTS, EXISTS],
});
scenario("POST endpoints/ stores the host's own name as no server name", {
  as: "superuser",
  post: PATHS.endpoints,
  body: { host: "own.acme.example", server_name: "OWN.acme.example" },
  status: 201,
  changes: [`create ${ENDPOINT}`],
  json: (body) => assert.equal(body.server_name, null),
});
for (const server_name of ["a b", "192.0.2.1", "", 5]) {
  scenario(
    `POST endpoints/ refuses the server name ${
      JSON.stringify(server_name)
    } of an existing host, and reports only this`,
    {
      as: "superuser",
      post: PATHS.endpoints,
      body: { host: "www.acme.example", server_name },
      status: 400,
      json: (body) => assert.deepEqual(Object.keys(body), ["server_name"]),
    },
  );
}
for (
  const [what, body] of [
    ["networks", { networks: ["10.9.0.0/30", "192.0.2.0/30", "2001:db8::/126"] }],
    ["a list of them", [{ networks: ["192.0.2.0/30", "2001:db8::/126"] }]],
  ] as const
) {
  scenario(`POST scan-jobs/ refuses ${what} that CERTMGR_PROBE_ALLOWED_NETWORKS does not have`, {
    as: "superuser",
    post: PATHS.scanJobs,
    body: Array.isArray(body) ? body.map((one) => ({ ...one, name: "Far" })) : { ...body, name: "Far" },
    status: 400,
    json: (answer) => {
      const { networks, ...rest } = Array.isArray(answer) ? answer[0] : answer;
      assert.deepEqual([networks, rest], [
        ["192.0.2.0/30", "2001:db8::/126"].map((one) =>
          `${one} is not in CERTMGR_PROBE_ALLOWED_NETWORKS. Add it to the setting to scan it.`
        ),
        {},
      ]);
    },
  });
}
scenario("PATCH scan-jobs/{id}/ refuses a network that contains more than the allowed one", {
  as: "superuser",
  patch: `${PATHS.scanJobs}${seed.scanJobs.lab}/`,
  body: { networks: ["10.0.0.0/7"] },
  status: 400,
  contains: ["10.0.0.0/7", "CERTMGR_PROBE_ALLOWED_NETWORKS"],
});
const CLOSED = { settings: { probing: { ...PROBING, allowedNetworks: [] } } };
scenario("PATCH scan-jobs/{id}/ refuses to enable a job whose networks are not allowed any more", {
  as: "superuser",
  app: CLOSED,
  patch: `${PATHS.scanJobs}${seed.scanJobs.idle}/`,
  body: { enabled: true },
  status: 400,
  json: (body) => assert.deepEqual(Object.keys(body), ["networks"]),
});
scenario("PATCH scan-jobs/{id}/ disables a job whose networks are not allowed any more", {
  as: "superuser",
  app: CLOSED,
  patch: `${PATHS.scanJobs}${seed.scanJobs.lab}/`,
  body: { enabled: false, name: "Closed" },
  status: 200,
  changes: ["update certmgr.scanjob"],
  json: (body) => assert.equal(body.enabled, false),
});
scenario("GET certificates/{id}/ shows where the certificate is served, if the caller may view it", {
  as: granted([{ types: ["certmgr.certificate"], actions: ["view"] }]),
  get: `${PATHS.certificates}1/`,
  status: 200,
  json: (body) => assert.deepEqual([body.endpoint_count, body.first_seen, body.last_seen], [0, null, null]),
});
scenario("GET certificates/{id}/ shows when the certificate was observed", {
  as: "superuser",
  get: `${PATHS.certificates}1/`,
  status: 200,
  json: (body) =>
    assert.deepEqual([body.first_seen, body.last_seen], ["2026-06-15T12:00:00Z", "2026-06-15T12:00:00Z"]),
});

scenario("POST endpoints/{id}/probe/ answers 409 where the platform has no sockets", {
  as: prober(),
  post: PROBE,
  status: 409,
  contains: ["no sockets", "certmgr agent"],
});
const UNREACHABLE = {
  address: "192.0.2.1",
  latencyMs: null,
  failure: { kind: "unreachable", message: "The connection was refused." },
} as const;
scenario("POST endpoints/{id}/probe/ returns the endpoint with its observation", {
  as: granted([
    { types: [ENDPOINT], actions: ["view", "probe"] },
    { types: ["certmgr.observation"], actions: ["view"] },
  ]),
  app: { probe: () => Promise.resolve([UNREACHABLE]) },
  post: PROBE,
  status: 200,
  changes: [`update ${ENDPOINT}`],
  json: (body) => {
    assert.deepEqual([body.id, body.state, body.observation.state], [1, "unreachable", "unreachable"]);
    assert.equal(body.observation.state_message, "The connection was refused.");
  },
});
scenario("POST endpoints/{id}/probe/ shows no observation to a caller who may not view observations", {
  as: prober(),
  app: { probe: () => Promise.resolve([UNREACHABLE]) },
  post: PROBE,
  status: 200,
  changes: [`update ${ENDPOINT}`],
  json: (body) => assert.equal(body.observation, null),
});
for (
  const [what, as] of [
    ["only view", granted([{ types: [ENDPOINT], actions: ["view"] }])],
    ["only change", granted([{ types: [ENDPOINT], actions: ["change"] }])],
  ] as const
) {
  scenario(`POST endpoints/{id}/probe/ answers 403 to a caller with ${what}`, {
    as,
    post: PROBE,
    status: 403,
    equals: FORBIDDEN,
  });
  scenario(`POST endpoints/bulk-probe/ answers 403 to a caller with ${what}`, {
    as,
    post: BULK,
    body: { ids: [1] },
    status: 403,
    equals: FORBIDDEN,
  });
}
for (const id of [seed.endpoints.globex, 999_999]) {
  scenario(`POST endpoints/${id}/probe/ answers 404 for a hidden or missing endpoint`, {
    as: prober({ tenant__slug: "acme" }),
    post: `${PATHS.endpoints}${id}/probe/`,
    status: 404,
    equals: NOT_FOUND,
  });
}
scenario(
  "POST endpoints/bulk-probe/ queues endpoints that the caller may probe, and lists others as missing",
  {
    as: prober({ tenant__slug: "acme" }),
    post: BULK,
    body: { ids: [seed.endpoints.acme, seed.endpoints.globex, 999_999] },
    status: 202,
    equals: {
      queued_count: 1,
      not_found_ids: [seed.endpoints.globex, 999_999],
      missing_ids: [seed.endpoints.globex, 999_999],
    },
  },
);
scenario("POST endpoints/bulk-probe/ refuses unknown fields and missing ids", {
  as: prober(),
  post: BULK,
  body: { id: [1] },
  status: 400,
  json: (body) => assert.deepEqual(Object.keys(body).sort(), ["id", "ids"]),
});

const IMPORT = `${PATHS.endpoints}import/`;
const adder = (constraints: unknown = null): Actor =>
  granted([{ types: [ENDPOINT], actions: ["add"], constraints }]);
const TABLE = [
  "host,port,server_name,protocol,tags,enabled,interval_minutes,description",
  'a.import.example,8443,,tls,,,,"two\nlines"',
  "MAIL.import.example,,,smtp,,no,60,",
  "www.acme.example,,,,,,,",
  "a.import.example,8443,,,,,,",
].join("\n");
scenario("POST endpoints/import/ stores the rows of a table, and skips existing and repeated endpoints", {
  as: adder(),
  post: IMPORT,
  body: { content: TABLE },
  status: 200,
  changes: [`create ${ENDPOINT}`, `create ${ENDPOINT}`],
  equals: { created_count: 2, skipped_count: 2, errors: [], dry_run: false },
});
scenario("POST endpoints/import/ stores an endpoint of each line", {
  as: adder(),
  post: IMPORT,
  body: { content: "a.import.example # first\n\n[2001:db8::7]:8443, mail.import.example/smtp\r\n" },
  status: 200,
  changes: Array(3).fill(`create ${ENDPOINT}`),
  equals: { created_count: 3, skipped_count: 0, errors: [], dry_run: false },
});
scenario("POST endpoints/import/ with dry_run stores nothing", {
  as: adder(),
  post: IMPORT,
  body: { content: TABLE, dry_run: true },
  status: 200,
  changes: [],
  equals: { created_count: 2, skipped_count: 2, errors: [], dry_run: true },
});
scenario("POST endpoints/import/ lists rows that are not valid, by row and field, and stores the others", {
  as: adder(),
  post: IMPORT,
  body: {
    content: [
      "host;port;tenant;enabled;protocol;tags;expected_certificate",
      "ok.import.example;;;;;;",
      ";443;;;;;",
      "a b;443;;;;;",
      "p.import.example;70000;;;;;",
      "p.import.example;x;;;;;",
      "t.import.example;;Nobody;;;;",
      "e.import.example;;;perhaps;;;",
      "g.import.example;;;;gopher;;",
      "c.import.example;;;;;;999999",
      "x.import.example;;;;;missing-tag;",
    ].join("\n"),
  },
  status: 200,
  changes: [`create ${ENDPOINT}`],
  json: (body) => {
    assert.equal(body.created_count, 1);
    assert.deepEqual(body.errors.map((one: { row: number; field: string }) => [one.row, one.field]), [
      [2, "host"],
      [3, "host"],
      [4, "port"],
      [5, "port"],
      [6, "tenant"],
      [7, "enabled"],
      [8, "protocol"],
      [9, "expected_certificate"],
      [10, "tags"],
    ]);
    assert.match(body.errors[3].message, /"x"/);
  },
});
scenario("POST endpoints/import/ reports an invalid line by its number", {
  as: adder(),
  post: IMPORT,
  body: { content: "a.import.example\n\nb c\n" },
  status: 200,
  changes: [`create ${ENDPOINT}`],
  json: (body) => assert.deepEqual([body.errors[0].row, /"b c"/.test(body.errors[0].message)], [3, true]),
});
for (
  const [what, content, message] of [
    ["an empty text", "", "at least one endpoint"],
    ["a text of comments", "# nothing\n", "at least one endpoint"],
    ["a table without rows", "host,port\n", "at least one endpoint"],
    ["an unknown column", "host,prot\na.import.example,443", "prot"],
    ["too many lines", "a.example\n".repeat(1_001), "at most 1000"],
    ["too many rows", `host\n${"a.example\n".repeat(1_001)}`, "at most 1000"],
    ["a private key", pki.fresh.key.privateKeyPem, "Private key detected"],
  ] as const
) {
  scenario(`POST endpoints/import/ refuses ${what}`, {
    as: adder(),
    post: IMPORT,
    body: { content },
    status: 400,
    contains: [message],
    excludes: ["BEGIN PRIVATE KEY"],
  });
}
scenario("POST endpoints/import/ accepts a thousand lines", {
  as: adder(),
  post: IMPORT,
  body: {
    content: Array.from({ length: 1_000 }, (_, n) => `h${n}.import.example`).join("\n"),
    dry_run: true,
  },
  status: 200,
  json: (body) => assert.equal(body.created_count, 1_000),
});
scenario("POST endpoints/import/ stores nothing if the constraint excludes a row", {
  as: adder({ host__istartswith: "a." }),
  post: IMPORT,
  body: { content: "a.import.example\nb.import.example" },
  status: 403,
  changes: [],
  equals: FORBIDDEN,
});
scenario("POST endpoints/import/ answers 403 without the permission `add`", {
  as: granted([{ types: [ENDPOINT], actions: ["view", "change", "probe", "push_observations"] }]),
  post: IMPORT,
  body: { content: "a.import.example" },
  status: 403,
  equals: FORBIDDEN,
});

scenario(
  "POST endpoints/import/ skips existing endpoints in another notation, and stores those that differ in one column",
  {
    as: adder(),
    post: IMPORT,
    body: {
      content: [
        "host,port,protocol,server_name",
        ...[...SAME, ...OTHER].map((
          { host, port = "", protocol = "", server_name }: Record<string, unknown>,
        ) => [host, port, protocol, server_name ?? ""].join()),
        "www2.acme.example,,,www2.acme.example",
      ].join("\n"),
    },
    status: 200,
    changes: OTHER.map(() => `create ${ENDPOINT}`),
    equals: { created_count: 4, skipped_count: 5, errors: [], dry_run: false },
  },
);

const AT = "2026-06-15T11:00:00Z";
const REPORT = {
  agent: "dmz",
  observations: [{
    host: "intern.acme.example",
    address: "10.0.0.5",
    at: AT,
    presented: [pki.stored.acme.pem],
  }],
};
scenario("POST observations/push/ creates the endpoint and its observation with a single permission", {
  as: agent(),
  post: PUSH,
  body: REPORT,
  status: 200,
  changes: [`create ${ENDPOINT}`, `update ${ENDPOINT}`],
  equals: { created: 1, updated: 0, unchanged: 0, certificates_created: 0, errors: [] },
});
scenario("POST observations/push/ stores an error as a state", {
  as: agent(),
  post: PUSH,
  body: {
    agent: "dmz",
    observations: [{ host: "down.acme.example", at: AT, error: "The host does not answer." }],
  },
  status: 200,
  changes: [`create ${ENDPOINT}`, `update ${ENDPOINT}`],
  json: (body) => assert.deepEqual([body.created, body.errors], [1, []]),
});
scenario("POST observations/push/ lists invalid entries, and stores the others", {
  as: agent(),
  post: PUSH,
  body: {
    agent: "dmz",
    observations: [
      ...REPORT.observations,
      {
        host: "a.example",
        at: AT,
        presented: ["-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"],
      },
      { host: "b.example", at: AT },
      { host: "c.example", at: "2026-06-16", error: "x" },
    ],
    certificates: [{ location: "/etc/ssl/a.pem", presented: ["nothing"] }],
  },
  status: 200,
  changes: [`create ${ENDPOINT}`, `update ${ENDPOINT}`],
  json: (body) => {
    assert.equal(body.created, 1);
    assert.deepEqual(body.errors.map((one: { list: string; index: number }) => [one.list, one.index]), [
      ["observations", 1],
      ["observations", 2],
      ["observations", 3],
      ["certificates", 0],
    ]);
  },
});
scenario("POST observations/push/ adds certificates of files without an endpoint", {
  as: agent(),
  post: PUSH,
  body: { agent: "dmz", certificates: [{ location: "/etc/ssl/x.pem", presented: [pki.fresh.pem] }] },
  status: 200,
  changes: ["create certmgr.certificate"],
  json: (body) => assert.equal(body.certificates_created, 1),
});
for (const [chars, status] of [[60_000, 200], [60_001, 400]] as const) {
  scenario(`POST observations/push/ with six texts of ${chars} characters answers ${status}`, {
    as: agent(),
    post: PUSH,
    body: {
      agent: "dmz",
      certificates: [{ location: "x", presented: Array<string>(6).fill(pki.fresh.pem.padEnd(chars, "\n")) }],
    },
    status,
    ...(status === 200
      ? { changes: ["create certmgr.certificate"] }
      : { contains: ["no more than 360000 characters together"] }),
  });
}
scenario("POST observations/push/ refuses private keys", {
  as: agent(),
  post: PUSH,
  body: { agent: "dmz", certificates: [{ location: "x", presented: [pki.fresh.key.privateKeyPem] }] },
  status: 400,
  contains: ["Private key detected"],
  excludes: ["BEGIN PRIVATE KEY"],
});
for (const [source, created] of [["agent", 4], ["scan", 2]] as const) {
  // A scan does not know server names, so it skips hosts and ports that any endpoint has.
  scenario(`POST observations/push/ with the source ${source} creates ${created} endpoints, and none twice`, {
    as: agent(),
    post: PUSH,
    body: {
      agent: "dmz",
      source,
      observations: [...SAME, ...OTHER].map((one) => ({ ...one, address: "10.0.0.5", at: AT, error: "x" })),
    },
    status: 200,
    changes: [
      ...Array(created).fill(`create ${ENDPOINT}`),
      // An existing endpoint gets a new state, too.
      ...Array(source === "agent" ? created + 1 : created).fill(`update ${ENDPOINT}`),
    ],
  });
}
for (const constraints of [{ tenant__slug: "acme" }, { host: "other.example" }]) {
  scenario(`POST observations/push/ answers 403 for an endpoint outside ${JSON.stringify(constraints)}`, {
    as: agent(constraints),
    post: PUSH,
    body: REPORT,
    status: 403,
    equals: FORBIDDEN,
  });
}
scenario("POST observations/push/ answers the same 403 for an existing endpoint that is hidden", {
  as: agent({ tenant__slug: "acme" }),
  post: PUSH,
  body: { agent: "dmz", observations: [{ host: "www.globex.example", at: AT, error: "x" }] },
  status: 403,
  equals: FORBIDDEN,
});
scenario("POST observations/push/ of a scan answers the same 403 for an existing endpoint that is hidden", {
  as: agent({ tenant__slug: "acme" }),
  post: PUSH,
  body: {
    agent: "scan",
    source: "scan",
    observations: [{ host: "www.globex.example", at: AT, error: "x" }],
  },
  status: 403,
  equals: FORBIDDEN,
});
scenario("POST observations/push/ answers 403 without the permission", {
  as: granted([{ types: [ENDPOINT], actions: ["view", "add", "change", "probe"] }]),
  post: PUSH,
  body: REPORT,
  status: 403,
  equals: FORBIDDEN,
});
for (const name of ["", "Not a name", "a".repeat(64), 5]) {
  scenario(`POST observations/push/ refuses the agent ${JSON.stringify(name).slice(0, 20)}`, {
    as: agent(),
    post: PUSH,
    body: { ...REPORT, agent: name },
    status: 400,
    json: (body) => assert.deepEqual(Object.keys(body), ["agent"]),
  });
}

for (
  const [q, found] of [["www.acme.example:443", 1], ["ACME.example:443", 1], ["www.acme.example:8443", 0], [
    ":",
    0,
  ]] as const
) {
  scenario(`GET endpoints/?q=${q} finds ${found} by the name that is shown`, {
    as: "superuser",
    get: `${PATHS.endpoints}?q=${encodeURIComponent(q)}&host__ic=acme`,
    status: 200,
    json: ({ count }) => assert.equal(count, found),
  });
}
