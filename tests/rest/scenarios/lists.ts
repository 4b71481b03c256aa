/** Lists: pages, order, fields, and invalid requests. */

import assert from "node:assert/strict";
import { readerOf, stranger } from "../../support/actors.ts";
import { certificate, PATHS } from "../../support/paths.ts";
import { type Scenario, scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";

const LIST = PATHS.certificates;
const URL = `https://certmgr.example${LIST}`;
const SMALL = { settings: { defaultPageSize: 3, maxPageSize: 5 } };

/** Returns the ids of a list's results. */
function ids(body: { results: { id: number }[] }): number[] {
  return body.results.map((row) => row.id);
}

function list(title: string, query: string, expected: Partial<Scenario>): void {
  scenario(`List: ${title}`, { as: "superuser", get: `${LIST}?${query}`, status: 200, ...expected });
}

list("a page has the default size and the URL of the next one", "", {
  app: SMALL,
  json: (body) => {
    assert.deepEqual(ids(body), [1, 2, 3]);
    assert.deepEqual([body.count, body.next, body.previous], [12, `${URL}?limit=3&offset=3`, null]);
  },
});
list("links keep filters and selected fields", "status=active&tag=prod&fields=id&limit=2&offset=1", {
  json: (body) => {
    assert.deepEqual(ids(body), [2, 6]);
    assert.equal(body.count, 4);
    assert.equal(body.next, `${URL}?status=active&tag=prod&fields=id&limit=2&offset=3`);
    assert.equal(body.previous, `${URL}?status=active&tag=prod&fields=id&limit=2&offset=0`);
  },
});
list("the last page has no link to a next one", "limit=5&offset=10", {
  json: (body) =>
    assert.deepEqual([ids(body), body.next, body.previous], [[11, 12], null, `${URL}?limit=5&offset=5`]),
});
list("an offset past the end returns an empty page", "offset=500", {
  json: (body) => assert.deepEqual([body.results, body.count, body.next], [[], 12, null]),
});
list("limit=0 returns the largest page", "limit=0", {
  app: SMALL,
  json: (body) => assert.deepEqual([ids(body), body.next], [[1, 2, 3, 4, 5], `${URL}?limit=5&offset=5`]),
});
list("a limit above the maximum is reduced to it", "limit=100", {
  app: SMALL,
  json: (body) => assert.equal(body.results.length, 5),
});
list("ordering has several fields, descending ones with a minus", "ordering=-status,common_name&limit=4", {
  json: (body) => assert.deepEqual(ids(body), [9, 5, 4, 10]),
});
list(
  "equal rows are ordered by id, so that pages never overlap",
  "ordering=-valid_from&fields=id&limit=0",
  {
    json: (body) => assert.deepEqual(ids(body), [6, 1, 12, 11, 10, 9, 8, 7, 5, 4, 3, 2]),
  },
);
list("a cursor page begins at its id, in the order of ids, without a count", "start=4&limit=2", {
  json: (body) =>
    assert.deepEqual([ids(body), body.count, body.next, body.previous], [
      [4, 5],
      null,
      `${URL}?start=6&limit=2`,
      null,
    ]),
});
list("the cursor of the next page is the next matching row", "start=0&limit=1&tenant=globex", {
  json: (body) => assert.deepEqual([ids(body), body.next], [[6], `${URL}?start=7&limit=1&tenant=globex`]),
});
list("the last cursor page has no link to a next one", "start=12", {
  json: (body) => assert.deepEqual([ids(body), body.next], [[12], null]),
});
list("brief returns brief objects", "brief=true&limit=1", {
  json: (body) =>
    assert.deepEqual(body.results, [{
      id: 1,
      url: `${URL}1/`,
      display: "www.acme.example (expires: 2026-10-31)",
      common_name: "www.acme.example",
      serial_number: "0A:1B:2C",
      status: "active",
    }]),
});
list(
  "fields returns only these, separated by commas or repeated",
  "fields=id,common_name&fields=tenant&limit=1",
  {
    json: (body) => assert.deepEqual(Object.keys(body.results[0]), ["id", "common_name", "tenant"]),
  },
);
list("omit leaves out these fields", "omit=tags,tenant,url&limit=1", {
  json: (body) => {
    for (const name of ["tags", "tenant", "url"]) assert(!(name in body.results[0]), name);
    assert("common_name" in body.results[0]);
  },
});
list("long texts are left out", "limit=1", {
  excludes: ["BEGIN CERTIFICATE"],
  json: (body) => assert(!("pem_content" in body.results[0]) && !("issuer_chain" in body.results[0])),
});
list("a long text is returned when it is requested", "fields=pem_content&limit=1", {
  json: (body) => assert.match(body.results[0].pem_content, /^-----BEGIN CERTIFICATE-----/),
});
list("include_pem returns the long texts", "include_pem=true&limit=1", {
  json: (body) => assert(body.results[0].pem_content !== "" && body.results[0].issuer_chain !== ""),
});
list(
  "parameters that NetBox's clients send are accepted without effect",
  "format=json&exclude=config_context&brief=",
  {},
);
list("a page counts only rows that the caller may view", "limit=1", {
  as: readerOf("acme"),
  json: (body) => assert.equal(body.count, 5),
});
scenario("Detail: fields and omit apply to a single object, too", {
  as: "superuser",
  get: certificate(seed.certificates.acmeWeb, "?fields=id,url,status&omit=url"),
  status: 200,
  equals: { id: 1, status: "active" },
});

for (
  const [query, name, message] of [
    ["limit=-1", "limit", 'Expected a whole number of 0 or more, not "-1".'],
    ["limit=ten", "limit", 'Expected a whole number of 0 or more, not "ten".'],
    ["limit=1e400", "limit", 'Expected a whole number of 0 or more, not "1e400".'],
    [
      "offset=9223372036854775808",
      "offset",
      'Expected a whole number of 0 or more, not "9223372036854775808".',
    ],
    ["start=x", "start", 'Expected a whole number of 0 or more, not "x".'],
    [
      "start=1&offset=1",
      "start",
      "Cursor paging is ordered by id. Do not combine it with offset or ordering.",
    ],
    [
      "start=1&ordering=id",
      "start",
      "Cursor paging is ordered by id. Do not combine it with offset or ordering.",
    ],
    ["ordering=nonsense", "ordering", "Cannot order by “nonsense”."],
    ["ordering=-comon_name", "ordering", "Cannot order by “comon_name”. Did you mean “common_name”?"],
    ["ordering=days_remaining", "ordering", "Cannot order by “days_remaining”."],
    ["ordering=tags", "ordering", "Cannot order by “tags”."],
    ["ordering=id;DROP TABLE users", "ordering", "Cannot order by “id;DROP TABLE users”."],
    ["brief=maybe", "brief", 'Expected true or false, not "maybe".'],
    ["include_pem=2", "include_pem", 'Expected true or false, not "2".'],
    ["fields=id,comon_name", "fields", 'Unknown field "comon_name". Did you mean “common_name”?'],
    ["omit=password", "omit", 'Unknown field "password".'],
    ["comon_name=x", "comon_name", "Unknown filter. Did you mean “common_name”?"],
    ["status__in_=x", "status__in_", "Unknown filter. Did you mean “status__in”?"],
    ["tenant__pasword=x", "tenant__pasword", "Unknown filter."],
    ["__proto__=x", "__proto__", "Unknown filter."],
    ["constructor=x", "constructor", "Unknown filter."],
    ["status=gone", "status", /^Select a valid choice \(“active”.*\), not “gone”\.$/],
    ["valid_to__lt=tomorrow", "valid_to__lt", /^Invalid date format: “tomorrow”\. Expected YYYY-MM-DD/],
    [
      "valid_to__lt=2026-02-30",
      "valid_to__lt",
      /^Invalid date format: “2026-02-30” is not a date of the calendar\./,
    ],
    ["tenant_id=acme", "tenant_id", "Enter a whole number, not “acme”."],
    ["key_size__gt=1.5", "key_size__gt", "Enter a whole number, not “1.5”."],
    ["is_acme=perhaps", "is_acme", "Enter true or false, not “perhaps”."],
    ["serial_number=xyz", "serial_number", "Enter hexadecimal digits, with or without colons, not “xyz”."],
    ["common_name__regex=(", "common_name__regex", /^Enter a valid regular expression/],
    ["id=9223372036854775808", "id", "Enter a whole number, not “9223372036854775808”."],
    ["q=", "q", "Enter some text."],
    ["common_name=", "common_name", "Enter some text."],
  ] as const
) {
  list(`400 names the parameter and quotes the value: ${query}`, query, {
    status: 400,
    json: (body) => {
      assert.deepEqual(Object.getOwnPropertyNames(body), [name]);
      const given = Object.getOwnPropertyDescriptor(body, name)?.value[0];
      if (message instanceof RegExp) assert.match(given, message);
      else assert.equal(given, message);
    },
  });
}
list(
  "five regular expressions are accepted",
  "common_name__regex=a&common_name__regex=b&issuer__regex=c&san__iregex=d&issuer__iregex=e",
  { status: 200 },
);
list(
  "a sixth regular expression is refused",
  "common_name__regex=a&common_name__regex=b&issuer__regex=c&san__iregex=d&issuer__iregex=e&q=x&tag__name__regex=f",
  {
    status: 400,
    equals: { tag__name__regex: ["Use at most 5 regular expressions in one request."] },
  },
);
list("a regular expression with too many repetitions is refused", "issuer__regex=(a{100}){100}", {
  status: 400,
  json: (body) => assert.match(body.issuer__regex[0], /repetitions make it longer than 1000 steps/),
});
const REPORT = "/api/plugins/certmgr/compliance-report/";
for (const path of [PATHS.certificates, `${PATHS.certificates}export/`, REPORT]) {
  scenario(`GET ${path} answers 403 to a caller without permissions before its filters are read`, {
    as: stranger(),
    get: `${path}?common_name__regex=(&nonsense=1`,
    status: 403,
  });
}
list("all invalid parameters are reported at once", "limit=x&status=gone&nonsense=1", {
  status: 400,
  json: (body) => assert.deepEqual(Object.keys(body).sort(), ["limit", "nonsense", "status"]),
});
