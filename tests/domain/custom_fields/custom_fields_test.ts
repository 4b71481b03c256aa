/** Custom fields: definitions, values, filters, permissions, GraphQL, indexes. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { CUSTOM_VALUES, defineCustomFields, fillCustomFields } from "../../support/custom_fields.ts";
import { filterSql } from "../../../src/auth/mod.ts";
import { certificates } from "../../../src/domain/certificates/mod.ts";
import { fieldSql } from "../../../src/filters/compile_values.ts";
import { mapIn, parseQuery } from "../../../src/filters/mod.ts";
import { refreshCustomFields } from "../../../src/resource/mod.ts";
import { granted } from "../../support/actors.ts";
import { testApp } from "../../support/app.ts";
import { certificate, PATHS } from "../../support/paths.ts";
import { scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";
import { metadata } from "../../support/stored.ts";

const { certificates: ids, devices } = seed;
const CERTIFICATE = ["certmgr.certificate"];

scenario("values of every type are stored and read", {
  as: "superuser",
  get: certificate(ids.acmeWeb),
  before: fillCustomFields,
  status: 200,
  json: ({ custom_fields: { host, ...values } }) => {
    const { host: _, ...expected } = CUSTOM_VALUES;
    assert.deepEqual(values, expected);
    assert.equal(host.name, "edge-1");
    assert.match(host.url, /\/api\/dcim\/devices\/1\/$/);
  },
});
scenario("fields without a value read as null, and new objects have the default", {
  as: "superuser",
  post: PATHS.certificates,
  body: {
    common_name: "new.example",
    serial_number: "77",
    issuer: "CN=CA",
    valid_from: "2026-01-01",
    valid_to: "2027-01-01",
    fingerprint_sha256: "7".repeat(64),
    algorithm: "rsa",
    custom_fields: { risk: { value: "low", label: "Low" }, host: { id: devices.spare }, cost: "1.5" },
  },
  before: defineCustomFields,
  status: 201,
  changes: ["create certmgr.certificate"],
  json: ({ custom_fields: { host, ...values } }) => {
    assert.equal(host.id, devices.spare);
    assert.deepEqual([values.audited, values.risk, values.cost, values.note], [false, "low", 1.5, null]);
  },
});
scenario("a write merges: what is not given stays, null removes", {
  as: "superuser",
  patch: certificate(ids.acmeWeb),
  body: { custom_fields: { note: null, shelf: 5 } },
  before: fillCustomFields,
  status: 200,
  changes: ["update certmgr.certificate"],
  json: ({ custom_fields: values }) =>
    assert.deepEqual([values.note, values.shelf, values.exact, values.cost], [null, 5, "B12", 12.5]),
});
for (
  const [name, value, message] of [
    ["note", "bob", 'Expected text that matches the regular expression ^[A-Z], not "bob".'],
    ["note", 5, "Expected text, not 5."],
    ["shelf", 0, "Expected a whole number of 1 or more, not 0."],
    ["shelf", 41, "Expected a whole number of 40 or less, not 41."],
    ["shelf", 1.5, "Expected a whole number, not 1.5."],
    ["cost", "much", 'Expected a number, not "much".'],
    ["audited", "perhaps", 'Expected true or false, not "perhaps".'],
    [
      "ordered",
      "2026-02-30",
      'Invalid date format: "2026-02-30" is not a date of the calendar. Expected YYYY-MM-DD.',
    ],
    [
      "ordered",
      "2026-02-03T10:00:00Z",
      'Invalid date format: "2026-02-03T10:00:00Z". Expected YYYY-MM-DD. Did you mean 2026-02-03?',
    ],
    [
      "seen_at",
      "now",
      'Invalid date format: "now". Expected an ISO 8601 datetime such as 2026-11-20T09:22:19Z.',
    ],
    ["page", "javascript:alert(1)", "Only http and https URLs are allowed."],
    ["risk", "medium", 'Expected one of low, high, not "medium".'],
    ["places", ["here", "nowhere"], 'Expected one of here, there, not "nowhere".'],
    ["places", 5, "Expected a list of at most 100 choices, not 5."],
    ["host", 999, "Related object not found using the provided numeric ID: 999."],
    ["host", "edge", 'Expected an id or an object with id, not "edge".'],
    ["shelve", 1, 'Unknown field. Did you mean "shelf"?'],
    ["__proto__", 1, "Unknown field."],
  ] as const
) {
  scenario(`${JSON.stringify(value)} is refused as ${name}`, {
    as: "superuser",
    patch: certificate(ids.acmeWeb),
    body: JSON.parse(`{"custom_fields": {${JSON.stringify(name)}: ${JSON.stringify(value)}}}`),
    before: defineCustomFields,
    status: 400,
    equals: { custom_fields: [`${name}: ${message}`] },
  });
}
scenario("values that are not an object are refused", {
  as: "superuser",
  patch: certificate(ids.acmeWeb),
  body: { custom_fields: [1] },
  status: 400,
  equals: { custom_fields: ["Expected an object of custom fields, not [1]."] },
});
scenario("new objects need a value for a required field", {
  as: "superuser",
  post: PATHS.devices,
  body: { name: "new" },
  before: async (app) => {
    const client = await app.as("superuser");
    const body = { name: "rack", type: "text", object_types: ["dcim.device"], required: true };
    assert.equal((await client(PATHS.customFields, { method: "POST", body })).status, 201);
  },
  status: 400,
  equals: { custom_fields: ["rack: This field is required."] },
});

const one = [ids.acmeWeb];
const two = [ids.acmeWeb, ids.twin];
for (
  const [query, expected] of [
    ["cf_note=ob", one],
    ["cf_note__ie=BOB'S", one],
    ["cf_note__regex=^B", one],
    ["cf_exact=B1", []],
    ["cf_exact=B12", one],
    ["cf_shelf=4", one],
    ["cf_shelf=4&cf_shelf=9", two],
    ["cf_shelf__gt=4", [ids.twin]],
    ["cf_shelf__lte=9", two],
    ["cf_shelf__empty=false", two],
    ["cf_cost__gte=3.5", one],
    ["cf_cost=12.5", one],
    ["cf_audited=true", one],
    ["cf_ordered__gte=2026-03-02", [ids.twin]],
    ["cf_ordered=2026-03-01", one],
    ["cf_seen_at__lt=2026-03-01T10:00:01Z", one],
    ["cf_page__ic=wiki", one],
    ["cf_risk=high", one],
    ["cf_risk__empty=false", two],
    ["cf_places=there", one],
    [`cf_host_id=${devices.edge}`, one],
    [`cf_host=${devices.edge}`, one],
    [`cf_host__n=${devices.edge}&cf_shelf__empty=false`, [ids.twin]],
    ["cf_host=null&cf_shelf__empty=false", [ids.twin]],
    ["cf_host__name=edge-1", one],
    ["cf_host__description=In front", one],
    ["cf_host_id=null&cf_shelf__empty=false", [ids.twin]],
  ] as const
) {
  scenario(`GET certificates/?${query}`, {
    as: "superuser",
    get: `${PATHS.certificates}?${query}&ordering=id&limit=0`,
    before: fillCustomFields,
    status: 200,
    json: (body) => assert.deepEqual(body.results.map(({ id }: { id: number }) => id), expected),
  });
}
for (
  const [query, message] of [
    ["cf_shelf=abc", "Enter a whole number, not “abc”."],
    ["cf_host=edge-1", "Enter a whole number, not “edge-1”."],
    ["cf_cost=1e5", "Enter a number, not “1e5”."],
    ["cf_risk=medium", "Select a valid choice (“low”, “high”), not “medium”."],
  ] as const
) {
  const [name] = query.split("=");
  scenario(`GET certificates/?${query} is refused`, {
    as: "superuser",
    get: `${PATHS.certificates}?${query}`,
    before: defineCustomFields,
    status: 400,
    equals: { [name as string]: [message] },
  });
}
scenario("a custom field that is not defined is an unknown filter", {
  as: "superuser",
  get: `${PATHS.certificates}?cf_shelf=1`,
  status: 400,
  json: (body) => assert.match(body.cf_shelf[0], /^Unknown filter\./),
});
scenario("lists are ordered by a custom field", {
  as: "superuser",
  get: `${PATHS.certificates}?ordering=-cf_shelf&limit=2`,
  before: fillCustomFields,
  status: 200,
  json: (body) => assert.deepEqual(body.results.map(({ id }: { id: number }) => id), [ids.twin, ids.acmeWeb]),
});

Deno.test("a hidden object reads as null, matches no filter, and stays when null is written", async () => {
  await using app = await testApp();
  await fillCustomFields(app);
  const client = await app.as(granted([
    { types: CERTIFICATE, actions: ["view", "change"] },
    { types: ["dcim.device"], actions: ["view"], constraints: { id__n: devices.edge } },
  ]));
  const read = await (await client(certificate(ids.acmeWeb))).json();
  assert.equal(read.custom_fields.host, null);
  for (
    const query of [
      `cf_host_id=${devices.edge}`,
      `cf_host=${devices.edge}`,
      "cf_host__name=edge-1",
      "cf_host__isnull=false",
    ]
  ) {
    assert.equal((await (await client(`${PATHS.certificates}?${query}`)).json()).count, 0, query);
  }
  const given = { method: "PATCH", body: { custom_fields: { host: devices.edge } } };
  assert.equal((await client(certificate(ids.acmeWeb), given)).status, 400);
  await client(certificate(ids.acmeWeb), { method: "PATCH", body: { custom_fields: read.custom_fields } });
  const stored = await (await (await app.as("superuser"))(certificate(ids.acmeWeb))).json();
  assert.equal(stored.custom_fields.host.id, devices.edge);
});

Deno.test("permissions may be constrained by a custom field", async () => {
  await using app = await testApp();
  await fillCustomFields(app);
  const client = await app.as(
    granted([{ types: CERTIFICATE, actions: ["view"], constraints: { cf_risk: "low" } }]),
  );
  const { results } = await (await client(PATHS.certificates)).json();
  assert.deepEqual(results.map(({ id }: { id: number }) => id), [ids.twin]);
});

Deno.test("GraphQL reads, filters and sorts by custom fields", async () => {
  await using app = await testApp();
  await fillCustomFields(app);
  const client = await app.as("superuser");
  const query = `{ certificate_list(filters: {custom_fields: {shelf__gte: 4, risk: ["low", "high"]}},
    ordering: ["-cf_shelf"]) { id custom_fields } }`;
  const { data, errors } = await (await client("/graphql/", { method: "POST", body: { query } })).json();
  assert.equal(errors, undefined);
  assert.deepEqual(data.certificate_list.map(({ id }: { id: number }) => id), [ids.twin, ids.acmeWeb]);
  assert.equal(data.certificate_list[1].custom_fields.host.name, "edge-1");
});

for (
  const [what, body, errors] of [
    ["a name with capitals", { name: "Room" }, {
      name: [
        'Expected lower-case letters, digits and single underscores, with a letter at the beginning, not "Room".',
      ],
    }],
    ["a double underscore", { name: "a__b" }, {
      name: [
        'Expected lower-case letters, digits and single underscores, with a letter at the beginning, not "a__b".',
      ],
    }],
    ["a name that is in use", { name: "room" }, { name: ["custom field with this name already exists."] }],
    ["no object type", { object_types: [] }, { object_types: ["Expected at least one object type."] }],
    ["a selection without choices", { type: "select" }, {
      choice_set: ["Expected a choice set: a field of the type select needs one."],
    }],
    ["choices of a text", { choice_set: 1 }, { choice_set: ["A field of the type text has no choices."] }],
    ["an object without its type", { type: "object" }, {
      related_object_type: ["A field of the type object needs a related object type."],
    }],
    ["an index of JSON", { type: "json", indexed: true }, {
      indexed: ["A field of the type json cannot have an index."],
    }],
    ["a minimum above the maximum", { type: "integer", validation_minimum: 2, validation_maximum: 1 }, {
      validation_minimum: ["Expected at most the maximum 1, not 2."],
    }],
    ["a minimum that is too small", { type: "decimal", validation_minimum: -1_000_000_000_000_001 }, {
      validation_minimum: [
        "Expected a number from -1000000000000000 to 1000000000000000 or null, not -1000000000000001.",
      ],
    }],
    ["a maximum that is too large", { type: "integer", validation_maximum: 1e30 }, {
      validation_maximum: [
        "Expected a number from -1000000000000000 to 1000000000000000 or null, not 1e+30.",
      ],
    }],
    ["an invalid default", { type: "integer", default: "x" }, {
      default: ['Expected a whole number, not "x".'],
    }],
    ["an invalid regular expression", { validation_regex: "(" }, {
      validation_regex: ['Expected a valid regular expression: "missing closing ): `(`".'],
    }],
  ] as const
) {
  scenario(`a definition with ${what} is refused`, {
    as: "superuser",
    post: PATHS.customFields,
    body: { name: "fresh", type: "text", object_types: CERTIFICATE, ...body },
    status: 400,
    equals: errors,
  });
}
scenario("the limits of a definition may be as large as possible", {
  as: "superuser",
  post: PATHS.customFields,
  body: {
    name: "fresh",
    type: "decimal",
    object_types: CERTIFICATE,
    validation_minimum: -(10 ** 15),
    validation_maximum: 10 ** 15,
  },
  status: 201,
  changes: ["create extras.customfield"],
});
scenario("the type of a definition cannot be changed", {
  as: "superuser",
  patch: `${PATHS.customFields}${seed.customFields.room}/`,
  body: { type: "integer" },
  status: 400,
  equals: { type: ["The type cannot be changed. Create another custom field."] },
});
scenario("a choice set that a custom field uses cannot be deleted", {
  as: "superuser",
  delete: `${PATHS.choiceSets}${seed.choiceSets.levels}/`,
  status: 409,
});

for (
  const query of [
    "cf_shelf=4",
    "cf_shelf__gt=4",
    "cf_shelf__empty=false",
    "cf_shelf__empty=true",
    "cf_exact=B12",
    "cf_exact__ic=b1",
    "cf_exact__isw=b",
    "cf_exact__empty=false",
    "cf_seen_at__gte=2026-03-01T10:00:00.5Z",
    "cf_seen_at=2026-03-01T10:00:00Z",
  ]
) {
  Deno.test(`an index of the custom field serves ${query}`, async () => {
    await using app = await testApp();
    await fillCustomFields(app);
    await refreshCustomFields(app.ctx);
    const map = mapIn(app.ctx, certificates.map);
    const { condition } = parseQuery(new URLSearchParams(query), map, { reserved: new Set() });
    const rows = await app.database.all<{ detail: string }>(
      sql`EXPLAIN QUERY PLAN SELECT count(*) FROM certificates WHERE ${
        filterSql(app.ctx, condition, { map: certificates.map })
      }`,
    );
    assert.match(
      rows.map(({ detail }) => detail).join(),
      /SEARCH certificates USING INDEX cf_certificates_\w+ \(/,
    );
  });
}
Deno.test("an index of the custom field serves its ordering", async () => {
  await using app = await testApp();
  await fillCustomFields(app);
  const rows = await app.database.all<{ detail: string }>(
    sql`EXPLAIN QUERY PLAN SELECT id FROM certificates ORDER BY ${
      fieldSql("certificates", { column: "custom_fields", member: "shelf" })
    }, id LIMIT 5`,
  );
  const plan = rows.map(({ detail }) => detail).join();
  assert.match(plan, /USING INDEX cf_certificates_shelf/);
  assert.doesNotMatch(plan, /TEMP B-TREE/);
});

Deno.test("a field that is not indexed any more loses its index", async () => {
  await using app = await testApp();
  await fillCustomFields(app);
  const client = await app.as("superuser");
  const { results } = await (await client(`${PATHS.customFields}?name=shelf`)).json();
  const path = `${PATHS.customFields}${results[0].id}/`;
  const changed = await client(path, { method: "PATCH", body: { indexed: false } });
  assert.equal(changed.status, 200, await changed.text());
  const left = await app.database.all(
    sql`SELECT name FROM sqlite_schema WHERE name = 'cf_certificates_shelf'`,
  );
  assert.deepEqual(left, []);
});

Deno.test("deleting a definition removes its values and its index", async () => {
  await using app = await testApp();
  await fillCustomFields(app);
  const client = await app.as("superuser");
  const { results } = await (await client(`${PATHS.customFields}?name=shelf`)).json();
  assert.equal((await client(`${PATHS.customFields}${results[0].id}/`, { method: "DELETE" })).status, 204);
  const read = await (await client(certificate(ids.acmeWeb))).json();
  assert.equal("shelf" in read.custom_fields, false);
  const [row] = await app.database.all<{ values: string }>(
    sql`SELECT custom_fields AS "values" FROM certificates WHERE id = ${ids.acmeWeb}`,
  );
  assert.equal("shelf" in JSON.parse(row?.values ?? ""), false);
  const indexes = await app.database.all(
    sql`SELECT name FROM sqlite_schema WHERE name LIKE 'cf_certificates_shelf'`,
  );
  assert.deepEqual(indexes, []);
});

Deno.test("exports have a column for each custom field, and imports read them", async () => {
  await using app = await testApp();
  await fillCustomFields(app);
  const client = await app.as("superuser");
  const columns =
    "common_name,serial_number,issuer,valid_from,valid_to,fingerprint_sha256,algorithm,custom_fields";
  {
    const format = "csv";
    const path = `${PATHS.certificates}export/?format=${format}&fields=${columns}`;
    const content = await (await client(`${path}&ids=${ids.acmeWeb}`)).text();
    assert.match(content, /cf_shelf/);
    const gone = await client(certificate(ids.acmeWeb), { method: "DELETE" });
    assert.equal(gone.status, 204);
    const response = await client(`${PATHS.certificates}bulk-data-import/`, {
      method: "POST",
      body: { format, content },
    });
    assert.ok(response.ok, await response.clone().text());
    const { results } = await (await client(`${PATHS.certificates}?cf_exact=B12`)).json();
    assert.equal(results.length, 1);
    const { host, ...values } = results[0].custom_fields;
    const { host: _, story, ...expected } = CUSTOM_VALUES;
    assert.equal(host.id, devices.edge);
    assert.deepEqual({ ...values, story }, { ...expected, story });
  }
});

scenario("an import with an unknown custom field says so", {
  as: "superuser",
  post: `${PATHS.certificates}bulk-data-import/`,
  body: {
    format: "csv",
    content:
      "common_name,serial_number,issuer,valid_from,valid_to,fingerprint_sha256,algorithm,cf_nothing\n" +
      `a.example,5,CN=CA,2026-01-01,2027-01-01,${"5".repeat(64)},rsa,1\n`,
  },
  status: 400,
  contains: ["custom_fields", "nothing: Unknown field."],
});

Deno.test("datetimes keep milliseconds, written as microseconds; those of a second sort and compare by them", async () => {
  await using app = await testApp();
  await defineCustomFields(app);
  const client = await app.as("superuser");
  const values = [
    ["2026-11-20T09:22:19.123456Z", "2026-11-20T09:22:19.123000Z"],
    ["2026-11-20T10:22:19+01:00", "2026-11-20T09:22:19Z"],
    ["2026-11-20T09:22:19.5", "2026-11-20T09:22:19.500000Z"],
    ["2026-11-20T09:22:20.000001Z", "2026-11-20T09:22:20Z"],
  ];
  const made = await Promise.all(values.map(async ([seen_at], index) => {
    const body = {
      ...metadata(index + 1),
      valid_from: seen_at,
      valid_to: seen_at?.replace("2026", "2027"),
      custom_fields: { seen_at },
    };
    const response = await client(PATHS.certificates, { method: "POST", body });
    assert.equal(response.status, 201, await response.clone().text());
    return await response.json();
  }));
  for (const [index, [, expected = ""]] of values.entries()) {
    const { custom_fields, valid_from, valid_to } = made[index];
    assert.deepEqual([custom_fields.seen_at, valid_from, valid_to], [
      expected,
      expected,
      expected.replace("2026", "2027"),
    ]);
  }
  const [third, first, half, next] = made.map(({ id }) => id);
  for (
    const [query, expected] of [
      ["cf_seen_at__empty=false&ordering=cf_seen_at", [first, third, half, next]],
      ["cf_seen_at__gt=2026-11-20T09:22:19Z&ordering=cf_seen_at", [third, half, next]],
      ["cf_seen_at__gte=2026-11-20T09:22:19Z&ordering=cf_seen_at", [first, third, half, next]],
      ["cf_seen_at__lte=2026-11-20T09:22:19.123Z&ordering=cf_seen_at", [first, third]],
      ["cf_seen_at__lt=2026-11-20T09:22:19.5Z&ordering=cf_seen_at", [first, third]],
      ["cf_seen_at=2026-11-20T09:22:19.123Z", [third]],
      ["valid_from=2026-11-20T09:22:19.123456Z", [third]],
      ["valid_from__gt=2026-11-20T09:22:19.123Z&valid_from__lt=2026-11-20T09:22:20Z", [half]],
    ] as const
  ) {
    const { results } = await (await client(`${PATHS.certificates}?${query}`)).json();
    assert.deepEqual(results.map(({ id }: { id: number }) => id), expected, query);
  }
});
