/** Webhooks over REST: valid and refused configurations, and secrets that are never shown again. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { parseAllowedHosts } from "../../../src/http/mod.ts";
import { granted, stranger, within } from "../../support/actors.ts";
import type { TestApp } from "../../support/app.ts";
import { PATHS } from "../../support/paths.ts";
import { type Scenario, scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";

const TYPE = "extras.webhook";
const CERTIFICATE = "certmgr.certificate";
const CREATED = { changes: [`create ${TYPE}`], status: 201 } as const;
const UPDATED = { changes: [`update ${TYPE}`], status: 200 } as const;
const INVENTORY = `${PATHS.webhooks}${seed.webhooks.inventory}/`;

/** All required fields. */
const WHOLE = {
  name: "New",
  object_types: [CERTIFICATE],
  events: ["created"],
  payload_url: "https://hooks.example/",
};

function create(title: string, body: Readonly<Record<string, unknown>>, expected: Partial<Scenario>): void {
  scenario(`POST ${PATHS.webhooks} ${title}`, {
    as: "superuser",
    post: PATHS.webhooks,
    body: { ...WHOLE, ...body },
    ...CREATED,
    ...expected,
  });
}

function change(title: string, body: Readonly<Record<string, unknown>>, expected: Partial<Scenario>): void {
  scenario(`PATCH ${PATHS.webhooks}{id}/ ${title}`, {
    as: "superuser",
    patch: INVENTORY,
    body,
    ...UPDATED,
    ...expected,
  });
}

/** Returns the expectation of a refusal with this message under a field. */
function refused(field: string, message: string | RegExp): Partial<Scenario> {
  return {
    status: 400,
    changes: [],
    json: (body) => {
      assert.deepEqual(Object.keys(body), [field]);
      if (typeof message === "string") assert.deepEqual(body[field], [message]);
      else assert.match(body[field].join("\n"), message);
    },
  };
}

create("needs name, object types, events and URL, and has defaults for the rest", {}, {
  json: ({ id, url, secret, created, last_updated, ...body }) => {
    assert.equal(url, `https://certmgr.example${PATHS.webhooks}${id}/`);
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.equal(created, last_updated);
    assert.deepEqual(body, {
      ...WHOLE,
      display_url: "https://certmgr.example/webhooks/4/",
      display: "New",
      http_method: "POST",
      enabled: true,
      additional_headers: {},
      conditions: null,
      disabled_reason: "",
      failure_count: 0,
      breaker: "closed",
      probe_at: null,
      tags: [],
    });
  },
});
scenario(`POST ${PATHS.webhooks} reports each missing field`, {
  as: "superuser",
  post: PATHS.webhooks,
  body: {},
  status: 400,
  json: (body) => assert.deepEqual(Object.keys(body), ["name", "object_types", "events", "payload_url"]),
});
create("refuses an existing name", { name: "Inventory" }, {
  ...refused("name", "webhook with this name already exists."),
});
create("sorts object types and events, each once", {
  object_types: ["certmgr.certificatesigningrequest", CERTIFICATE, CERTIFICATE],
  events: ["deleted", "created", "deleted"],
}, {
  json: (body) => {
    assert.deepEqual(body.object_types, [CERTIFICATE, "certmgr.certificatesigningrequest"]);
    assert.deepEqual(body.events, ["created", "deleted"]);
  },
});
create(
  "refuses object types without events",
  { object_types: [CERTIFICATE, "certmgr.observation"] },
  {
    ...refused("object_types", /Expected one of certmgr\.certificate, .*, not "certmgr\.observation"\.$/),
  },
);
create("lists at most ten object types, and suggests the one that was meant", {
  object_types: ["certificate"],
}, {
  ...refused(
    "object_types",
    /^Entry 1: Expected one of (?:[\w.]+, ){9}[\w.]+ or \d+ others, not "certificate"\. Did you mean "certmgr\.certificate"\?$/,
  ),
});
create("refuses unknown events", { events: ["renewed"] }, {
  ...refused("events", /Expected one of created, updated, deleted.*, not "renewed"\.$/),
});
create("refuses an empty list of events", { events: [] }, {
  ...refused("events", "Choose at least one."),
});
create("refuses methods other than POST", { http_method: "PUT" }, {
  ...refused("http_method", 'Expected one of POST, not "PUT".'),
});
create("ignores fields that only the service writes", {
  failure_count: 7,
  disabled_reason: "x",
  breaker: "open",
}, {
  json: (body) =>
    assert.deepEqual([body.failure_count, body.disabled_reason, body.breaker], [0, "", "closed"]),
});

/** URLs of this machine, of networks that are not public, and URLs to which nothing can be sent. */
const INVALID_URLS = [
  "hooks.example",
  "//hooks.example/",
  "ftp://hooks.example/",
  "file:///etc/passwd",
  "gopher://hooks.example/",
  "javascript:alert(1)",
  "data:text/plain,x",
  "https://",
  "https://user:secret@hooks.example/",
  "https://user@hooks.example/",
  "http://localhost/",
  "http://LOCALHOST./",
  "http://web.localhost:8000/",
  "http://127.0.0.1/",
  "http://127.1/",
  "http://127.0.0.1.:80/",
  "http://2130706433/",
  "http://0x7f000001/",
  "http://0x7f.0x0.0x0.0x1/",
  "http://0177.0.0.1/",
  "http://017700000001/",
  "http://①②⑦.⓪.⓪.①/",
  "http://127。0。0。1/",
  "http://%31%32%37.0.0.1/",
  "http://0/",
  "http://0.0.0.0/",
  "http://10.0.0.1/",
  "http://172.31.255.255/",
  "http://192.168.1.1/",
  "http://100.64.0.1/",
  "http://169.254.169.254/latest/meta-data/",
  "http://2852039166/",
  "http://metadata.google.internal/",
  "http://168.63.129.16/",
  "http://192.0.0.192/",
  "http://198.18.0.1/",
  "http://224.0.0.1/",
  "http://255.255.255.255/",
  "http://240.0.0.1/",
  "http://[::1]/",
  "http://[::]/",
  "http://[::ffff:127.0.0.1]/",
  "http://[::ffff:7f00:1]/",
  "http://[0:0:0:0:0:ffff:a00:1]/",
  "http://[::127.0.0.1]/",
  "http://[64:ff9b::7f00:1]/",
  "http://[64:ff9b::169.254.169.254]/",
  "http://[2002:7f00:1::]/",
  "http://[2001:0:7f00:1::]/",
  "http://[fc00::1]/",
  "http://[fd00:ec2::254]/",
  "http://[fe80::1]/",
  "http://[fec0::1]/",
  "http://[ff02::1]/",
  "http://[2001:db8::1]/",
] as const;

for (
  const payload_url of [
    "https://hooks.example/a\r\nHost: b",
    "https://hooks.example/\u0001",
    "https:///a",
    "https://:8443/a",
    "https://?a",
    "https:",
  ]
) {
  create(`stores no ${JSON.stringify(payload_url)}`, { payload_url }, refused("payload_url", /URL/));
}
for (const payload_url of INVALID_URLS) {
  create(`refuses to send to ${payload_url}`, { payload_url }, refused("payload_url", /\S/));
}
for (
  const payload_url of [
    "https://hooks.example:8443/path?team=a%20b#part",
    "http://93.184.216.34/",
    "https://[2606:2800:220:1:248:1893:25c8:1946]/",
    "https://bücher.example/",
  ]
) {
  create(`takes ${payload_url}`, { payload_url }, {
    json: (body) => assert.equal(body.payload_url, payload_url),
  });
}
create("sends to a private host that the operator allows", { payload_url: "http://10.1.2.3:9000/" }, {
  app: { settings: { allowedTargets: parseAllowedHosts(["10.1.0.0/16"]) } },
});
change(
  "validates a new URL, too",
  { payload_url: "http://[::1]:8000/" },
  refused("payload_url", /loopback/),
);

create("stores a given secret and never shows it", { secret: "AGivenSecretOf32Characters/Long+" }, {
  excludes: ["secret"],
});
create("generates a secret when null is given", { secret: null }, { contains: ['"secret":"whsec_'] });
create("generates a secret when an empty text is given", { secret: "" }, { contains: ['"secret":"whsec_'] });
for (
  const [what, secret, message] of [
    ["short", "x".repeat(15), "Ensure this field has at least 16 characters."],
    ["long", "x".repeat(201), "Ensure this field has no more than 200 characters."],
    [
      "with spaces",
      "a secret with spaces",
      "Expected ASCII letters, digits and punctuation, without spaces.",
    ],
    ["beyond ASCII", "äöüäöüäöüäöüäöüäöü", "Expected ASCII letters, digits and punctuation, without spaces."],
    [
      "that begins like base64 and is not",
      "whsec_notbase64notbase64!",
      "Expected 24 to 64 bytes in base64 after whsec_, or a secret without that prefix.",
    ],
    [
      "of too few bytes in base64",
      `whsec_${btoa("x".repeat(23))}`,
      "Expected 24 to 64 bytes in base64 after whsec_, or a secret without that prefix.",
    ],
  ] as const
) {
  create(`refuses a secret ${what}, without repeating it`, { secret }, {
    ...refused("secret", message),
    excludes: [secret.slice(6)],
  });
}
for (const secret of [["TopSecretOfAList"], { TopSecretOfAnObject: 1 }, 5]) {
  create(`refuses a secret like ${JSON.stringify(secret).slice(0, 2)}…, without repeating it`, { secret }, {
    ...refused("secret", "Expected text or null."),
    excludes: ["TopSecret"],
  });
}
change("generates a new secret for null, and shows it once", { secret: null }, {
  contains: ['"secret":"whsec_'],
});
change("keeps the secret when a form sends none", { secret: "" }, { changes: [], excludes: ["whsec_"] });
change("accepts another secret, and records the change", { secret: "AnotherSecret/OfEnoughLength" }, {
  excludes: ["AnotherSecret"],
});
scenario(`PUT ${PATHS.webhooks}{id}/ keeps the secret when none is given`, {
  as: "superuser",
  put: INVENTORY,
  body: { ...WHOLE, payload_url: "https://hooks.acme.example/other", enabled: false },
  ...UPDATED,
  excludes: ["whsec_", "Seeded"],
});

create("shows the names of additional headers, not their values", {
  additional_headers: { "X-Api-Key": "TopSecretValue", authorization: "Bearer TopSecretToken" },
}, {
  excludes: ["TopSecret"],
  json: (body) => assert.deepEqual(body.additional_headers, { "X-Api-Key": null, authorization: null }),
});
/** Names that belong to the connection, the message or its signature, and invalid names. */
const INVALID_NAMES = [
  "Host",
  "content-length",
  "Content-Type",
  "Content-Encoding",
  "Transfer-Encoding",
  "Connection",
  "Keep-Alive",
  "TE",
  "Trailer",
  "Upgrade",
  "Expect",
  "Proxy-Authorization",
  "Proxy-Connection",
  "User-Agent",
  "webhook-id",
  "Webhook-Signature",
  "WEBHOOK-TIMESTAMP",
  "X-Hook-Signature",
  "X-Forwarded-For",
  "",
  "X Key",
  "X-Key:",
  "X-Key\r\nHost",
  "X-Ключ",
  "x".repeat(101),
] as const;
for (const name of INVALID_NAMES) {
  create(`refuses the header ${JSON.stringify(name.slice(0, 20))}`, {
    additional_headers: { [name]: "TopSecretValue" },
  }, {
    ...refused("additional_headers", /\S/),
    excludes: ["TopSecret"],
  });
}
/** Values that could split a request, and values that are not texts. */
const INVALID_VALUES = [
  "TopSecret\r\nX-Other: 1",
  "TopSecret\nX-Other: 1",
  "TopSecret\rX-Other: 1",
  "TopSecret\u0000",
  "TopSecret\u007f",
  " TopSecret",
  "TopSecret\t",
  "TopSecretä",
  "",
  "TopSecret".repeat(300),
  ["TopSecret"],
  { TopSecret: 1 },
  5,
] as const;
for (const value of INVALID_VALUES) {
  create(`refuses a header with the value ${JSON.stringify(value).slice(0, 30)}, without repeating it`, {
    additional_headers: { "X-Api-Key": value },
  }, {
    ...refused("additional_headers", /^"X-Api-Key": /),
    excludes: ["TopSecret"],
  });
}
create("refuses a header twice in different cases", { additional_headers: { "X-Key": "a", "x-key": "b" } }, {
  ...refused("additional_headers", '"x-key": This name is given twice.'),
});
create("refuses more than 20 headers", {
  additional_headers: Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`X-${index}`, "v"])),
}, refused("additional_headers", "Ensure this field has no more than 20 elements."));
for (const additional_headers of [["X-Key: TopSecret"], "X-Key: TopSecret", null]) {
  create(`refuses headers as ${JSON.stringify(additional_headers).slice(0, 6)}…`, { additional_headers }, {
    ...refused("additional_headers", /^Expected an object of header names and values, not /),
    excludes: ["TopSecret"],
  });
}
create("accepts a header with the name of a JavaScript property", {
  additional_headers: JSON.parse('{"__proto__": "a", "constructor": "b"}'),
}, { contains: ['"additional_headers":{"__proto__":null,"constructor":null}'] });
create("refuses null as the value of a new header", { additional_headers: { "X-Key": null } }, {
  ...refused("additional_headers", '"X-Key": No value is stored under this name. Enter one.'),
});
change("keeps the values of headers that are written back as they were read", {
  additional_headers: { "X-Api-Key": null },
}, { changes: [] });
change("keeps a header's value under a name in another case, and adds others", {
  additional_headers: { "x-api-key": null, "X-Team": "pki" },
}, { json: (body) => assert.deepEqual(body.additional_headers, { "x-api-key": null, "X-Team": null }) });
const OTHER_ORIGINS = [
  "https://hooks.new.example/inventory",
  "http://hooks.acme.example/inventory",
  "https://hooks.acme.example:8443/inventory",
];
for (const payload_url of OTHER_ORIGINS) {
  for (
    const [what, additional_headers] of [
      ["no headers", undefined],
      ["a null in place of a value", { "X-Api-Key": null }],
      ["a null next to a value", { "X-Team": "pki", "x-api-key": null }],
    ] as const
  ) {
    change(`does not send stored values to ${payload_url}: ${what}`, { payload_url, additional_headers }, {
      ...refused(
        "additional_headers",
        "Stored values are not sent to another origin. Enter all values again with the new URL, or {} for none.",
      ),
      excludes: ["Seeded"],
    });
  }
}
for (
  const additional_headers of [{}, { "X-Api-Key": "AnotherValue" }, {
    "X-Api-Key": "SeededHeaderOfInventory",
  }]
) {
  const names = JSON.stringify(Object.keys(additional_headers));
  change(`accepts another origin with the headers ${names} given anew`, {
    payload_url: "https://hooks.new.example/",
    additional_headers,
  }, {
    json: (body) => assert.deepEqual(Object.keys(body.additional_headers), Object.keys(additional_headers)),
  });
}
change("keeps stored values at another path of the same origin", {
  payload_url: "https://HOOKS.acme.example:443/other",
}, { json: (body) => assert.deepEqual(body.additional_headers, { "X-Api-Key": null }) });
scenario(`PATCH ${PATHS.webhooks}{id}/ accepts another origin if no values are stored`, {
  as: "superuser",
  patch: `${PATHS.webhooks}${seed.webhooks.globex}/`,
  body: { payload_url: "https://hooks.new.example/" },
  ...UPDATED,
});
change("records a change of a header's value, though it shows none", {
  additional_headers: { "X-Api-Key": "AnotherValue" },
}, { excludes: ["AnotherValue"] });

create("accepts conditions in the filter language", {
  conditions: {
    status: ["active", "pending"],
    tenant__name__ic: "acme",
    valid_to__lt: "2027-01-01",
    NOT: { tag: "staging" },
    OR: [{ san__iew: ".example" }, { has_issuing_ca: true, q: "www" }],
  },
}, { contains: ['"tenant__name__ic":"acme"'] });
for (
  const [what, conditions, messages] of [
    ["an unknown filter", { statuss: "active" }, [
      "certmgr.certificate: “statuss”: Unknown filter. Did you mean “status”?",
    ]],
    ["an unknown filter of a related object", { tenant__nonsense: 1 }, [
      /^certmgr\.certificate: “tenant__nonsense”: Unknown filter\./,
    ]],
    ["an invalid value, at any depth", { NOT: [{ OR: { status: "gone" } }] }, [
      /^certmgr\.certificate: “status”: Select a valid choice/,
    ]],
    ["a regular expression", { tenant__name__regex: "a" }, [
      "certmgr.certificate: “tenant__name__regex”: Regular expressions cannot be used in conditions.",
    ]],
    ["a field that the change log does not have", { chain_validated_at__gt: "2026-01-01" }, [
      /^certmgr\.certificate: “chain_validated_at__gt”: Unknown filter\./,
    ]],
    ["too many levels", nested(12), [/^certmgr\.certificate: Nest at most/]],
    ["$user", { tenant: "$user", tenant_id: "$user" }, [
      /^certmgr\.certificate: “tenant_id”: Enter a whole number/,
    ]],
    ["inherited names", JSON.parse('{"__proto__": 1, "constructor": 1}'), [
      /“__proto__”: Unknown filter\./,
      /“constructor”: Unknown filter\./,
    ]],
    ["a list", [{ status: "active" }], [/^Expected an object of filters or null, not \[/]],
    ["a text", "status=active", [/^Expected an object of filters or null/]],
    ["too long a text", { q: "x".repeat(20_000) }, [/^Ensure this field has no more than 16384 characters/]],
  ] as const
) {
  create(`refuses conditions with ${what}`, { conditions }, {
    status: 400,
    changes: [],
    json: (body) => {
      assert.deepEqual(Object.keys(body), ["conditions"]);
      for (const message of messages) {
        const found = body.conditions.some((one: string) =>
          typeof message === "string" ? one === message : message.test(one)
        );
        assert(found, `Missing ${message} in ${body.conditions}`);
      }
    },
  });
}

function nested(depth: number): Record<string, unknown> {
  return depth === 0 ? { status: "active" } : { NOT: nested(depth - 1) };
}

create("names the object type for which a condition is invalid", {
  object_types: [CERTIFICATE, "certmgr.certificateassignment"],
  conditions: { status: "active", id__gt: 5 },
}, refused("conditions", /^certmgr\.certificateassignment: “status”: Unknown filter\.[^\n]*$/));
scenario(`PATCH ${PATHS.webhooks}{id}/ validates stored conditions for the new object types`, {
  as: "superuser",
  patch: `${PATHS.webhooks}${seed.webhooks.globex}/`,
  body: { object_types: ["certmgr.certificateassignment"] },
  ...refused("conditions", /^certmgr\.certificateassignment: “tenant__slug”: Unknown filter\./),
  status: 400,
});
change("removes conditions with null", { conditions: null, name: "All of it" }, {
  json: (body) => assert.equal(body.conditions, null),
});

/** Returns a preparation with a webhook whose receiver has answered 410 or failed repeatedly. */
function failingWebhook(columns: string): (app: TestApp) => Promise<void> {
  return async ({ database }) => {
    await database.write((tx) =>
      tx.run(sql`UPDATE webhooks SET ${sql.raw(columns)} WHERE id = ${seed.webhooks.inventory}`)
    );
  };
}
const OFF = failingWebhook(
  "enabled = 0, disabled_reason = 'Gone', failure_count = 25, probe_at = 4900000000000",
);
const FAILING = failingWebhook("enabled = 1, failure_count = 25, probe_at = 4900000000000");
const FRESH = { failure_count: 0, breaker: "closed", probe_at: null, disabled_reason: "" };

function looks(expected: Record<string, unknown>): (body: Record<string, unknown>) => void {
  return (body) => assert.deepEqual({ ...body, ...expected }, body);
}

scenario("A webhook that failed often shows that its breaker is open", {
  as: "superuser",
  before: FAILING,
  get: `${PATHS.webhooks}?breaker=open&failure_count__gte=20`,
  status: 200,
  json: (body) => {
    assert.equal(body.count, 1);
    looks({ failure_count: 25, breaker: "open", probe_at: "2125-04-10T23:06:40Z" })(body.results[0]);
  },
});
change("resets the failures with another URL", { payload_url: "https://hooks.acme.example/new" }, {
  before: FAILING,
  json: looks(FRESH),
});
change("resets the failures when it is enabled again", { enabled: true }, {
  before: FAILING,
  changes: [],
  json: looks(FRESH),
});
change("resets the failures with another secret", { secret: "AnotherSecret/OfEnoughLength" }, {
  before: FAILING,
  json: looks(FRESH),
});
change("resets the failures with other headers", { additional_headers: {} }, {
  before: FAILING,
  json: looks(FRESH),
});
change("keeps the failures when something else changes", { name: "Other" }, {
  before: FAILING,
  json: looks({ failure_count: 25, breaker: "open" }),
});
change("enables a webhook that the service disabled", { enabled: true }, {
  before: OFF,
  json: looks({ ...FRESH, enabled: true }),
});
change("enables a webhook that the service disabled when it gets another URL", {
  payload_url: "https://hooks.acme.example/new",
}, { before: OFF, json: looks({ ...FRESH, enabled: true }) });
change("keeps a webhook disabled if the request says so, as disabled by the caller", {
  payload_url: "https://hooks.acme.example/new",
  enabled: false,
}, { before: OFF, json: looks({ ...FRESH, enabled: false }) });
change(
  "keeps a webhook disabled that its owner disabled",
  { payload_url: "https://hooks.acme.example/new" },
  {
    json: looks({ enabled: false }),
  },
);

for (
  const [query, names] of [
    ["object_types=certmgr.certificateassignment", ["Inventory"]],
    ["object_types=certmgr.certificate", ["Globex", "Inventory"]],
    ["events=deleted", ["Inventory", "Nobody listens"]],
    ["events__n=deleted", ["Globex"]],
    ["payload_url__ic=GLOBEX", ["Globex"]],
    ["tag=prod", ["Inventory"]],
    ["enabled=true", []],
    ["breaker=closed", ["Globex", "Inventory", "Nobody listens"]],
    ["q=listens", ["Nobody listens"]],
  ] as const
) {
  scenario(`GET ${PATHS.webhooks}?${query} filters the list`, {
    as: "superuser",
    get: `${PATHS.webhooks}?${query}`,
    status: 200,
    json: (body) => assert.deepEqual(body.results.map((row: { name: string }) => row.name), names),
  });
}
for (const name of ["secret", "additional_headers", "conditions"]) {
  scenario(`GET ${PATHS.webhooks} has no filter on ${name}`, {
    as: "superuser",
    get: `${PATHS.webhooks}?${name}=x&${name}__isw=w`,
    status: 400,
    contains: ["Unknown filter."],
  });
}
scenario("A permission cannot be constrained by a webhook's secret", {
  as: "superuser",
  post: PATHS.permissions,
  body: {
    name: "Guess",
    object_types: [TYPE],
    actions: ["view"],
    constraints: { secret__startswith: "whsec_A" },
  },
  status: 400,
  contains: ["Unknown filter."],
});
scenario("A write of a webhook outside the caller's constraints is refused", {
  as: within(TYPE, ["view", "change"], { payload_url__startswith: "https://hooks.acme.example/" }),
  patch: INVENTORY,
  body: { payload_url: "https://elsewhere.example/", additional_headers: {} },
  status: 403,
});
scenario("A caller who may only view certificates sees no webhooks", {
  as: granted([{ types: [CERTIFICATE], actions: ["view"] }]),
  get: PATHS.webhooks,
  status: 403,
});
scenario("A caller without permission cannot configure webhooks", {
  as: stranger(),
  post: PATHS.webhooks,
  body: WHOLE,
  status: 403,
});
