/** Calendar feeds and their calendars. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { keyOf, readerOf, stranger, superuser } from "../../support/actors.ts";
import { calendar, PATHS } from "../../support/paths.ts";
import { scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";
import { FEED_KEYS } from "../../support/seed_rows.ts";

const ICS = "text/calendar; charset=utf-8";
const NOT_FOUND = { detail: "Not found." };

scenario("A calendar is read without credentials, and has only what its user may view", {
  as: "nobody",
  get: calendar(FEED_KEYS.alice),
  status: 200,
  type: ICS,
  contains: [
    "BEGIN:VCALENDAR\r\n",
    "X-WR-CALNAME:Alice's\r\n",
    "SUMMARY:api.acme.example expires\r\n",
    "DTSTART;VALUE=DATE:20260629\r\n",
    `URL:https://certmgr.example/certificates/${seed.certificates.acmeCritical}/\r\n`,
    "TRIGGER:-P7D\r\n",
  ],
  excludes: ["globex", FEED_KEYS.alice],
  answers: { etag: /^W\/"[0-9a-f]{64}"$/, "cache-control": "private, max-age=3600" },
});
scenario("A calendar whose stored filter has a regular expression reports this, and compiles none", {
  as: "nobody",
  get: calendar(FEED_KEYS.alice),
  before: ({ database }) =>
    database.write(async (tx) => {
      await tx.run(sql`UPDATE calendar_feeds SET filter = 'common_name__regex=^a'`);
    }),
  status: 400,
  equals: {
    common_name__regex: [
      "Regular expressions cannot be used in the filter of a calendar feed or subscription.",
    ],
  },
});
scenario("An unchanged calendar answers 304", {
  as: "nobody",
  get: calendar(FEED_KEYS.alice),
  headers: { "if-none-match": "*" },
  status: 304,
  answers: { etag: /^W\/"[0-9a-f]{64}"$/, "cache-control": "private, max-age=3600" },
});
scenario("A calendar without its token answers 400", {
  as: "superuser",
  get: `${PATHS.certificates}calendar.ics`,
  status: 400,
  equals: { token: ["This field is required."] },
});
scenario("A calendar accepts no other parameter", {
  as: "nobody",
  get: `${calendar(FEED_KEYS.alice)}&status=active`,
  status: 400,
  equals: { status: ["Unknown parameter. Expected token."] },
});
for (
  const [what, token] of [
    ["of no feed", "N".repeat(40)],
    ["of an inactive user's feed", FEED_KEYS.bob],
    ["that is empty", ""],
    ["in upper case", FEED_KEYS.alice.toUpperCase()],
    ["that is too long", `${FEED_KEYS.alice}0`],
    ["with a quote", "'%20OR%20''%3D'"],
    ["with a null character", `${FEED_KEYS.alice.slice(0, 39)}%00`],
  ] as const
) {
  scenario(`A calendar's token ${what} answers 404`, {
    as: "nobody",
    get: calendar(token),
    status: 404,
    equals: NOT_FOUND,
  });
}
scenario("The key of an API token is not accepted for a calendar", {
  as: "superuser",
  get: calendar(keyOf("superuser")),
  status: 404,
  equals: NOT_FOUND,
});
for (const [what, path] of [["certificates", PATHS.certificates], ["its feed", PATHS.feeds]] as const) {
  scenario(`A calendar's token is not accepted for ${what}`, {
    as: "nobody",
    get: path,
    headers: { authorization: `Token ${FEED_KEYS.alice}` },
    status: 401,
    equals: { detail: "Invalid token" },
  });
}
for (const method of ["post", "put", "patch", "delete"] as const) {
  scenario(`${method.toUpperCase()} of a calendar is refused`, {
    as: "nobody",
    [method]: calendar(FEED_KEYS.alice),
    status: 405,
    answers: { allow: "GET, HEAD, OPTIONS" },
  });
}

scenario("POST calendar-feeds/ returns the URL of the calendar", {
  as: readerOf("acme"),
  post: PATHS.feeds,
  body: { name: "Acme", user: seed.users.root, token: "x", feed_url: "x" },
  status: 201,
  changes: ["create certmgr.calendarfeed"],
  json: (body) => {
    assert.match(body.token, /^[A-Za-z0-9]{40}$/);
    assert.equal(body.feed_url, `https://certmgr.example${calendar(body.token)}`);
    assert.equal(body.user.username, "reader-acme");
    assert.equal(body.filter, "status=active&status=pending&status=expired");
    assert.deepEqual([body.alarm_days, body.last_used], [null, null]);
  },
});
scenario("GET calendar-feeds/ lists the user's own feeds, without secrets", {
  as: superuser({ username: "chief" }),
  get: `${PATHS.feeds}${seed.feeds.alice}/`,
  status: 200,
  excludes: [FEED_KEYS.alice, "token_hash"],
  json: (body) => assert.deepEqual([body.token, body.feed_url, body.user.username], [null, null, "alice"]),
});
scenario("GET calendar-feeds/ lists no feeds of other users", {
  as: stranger(),
  get: PATHS.feeds,
  status: 200,
  equals: { count: 0, next: null, previous: null, results: [] },
});
scenario("PATCH calendar-feeds/{id}/ changes neither the secret nor the user", {
  as: "superuser",
  patch: `${PATHS.feeds}${seed.feeds.alice}/`,
  body: { filter: "?issuer=isrg", user: seed.users.root, token_hash: "x", token: "x" },
  status: 200,
  changes: ["update certmgr.calendarfeed"],
  json: (body) => assert.deepEqual([body.token, body.user.username], [null, "alice"]),
});

for (
  const [filter, message] of [
    ["statuss=active", "“statuss”: Unknown filter. Did you mean “status”?"],
    ["limit=5", /^“limit”: Unknown filter/],
    ["status=live", /^“status”: /],
    ["tenant__id__lt=x", /^“tenant__id__lt”: /],
    ["__proto__=1", /^“__proto__”: Unknown filter/],
    [
      "common_name__regex=^a",
      "“common_name__regex”: Regular expressions cannot be used in the filter of a calendar feed or subscription.",
    ],
    ["common_name__iregex=(", /^“common_name__iregex”: Regular expressions cannot be used/],
    ["status", /^“status”: /],
    ["x".repeat(4_001), "Ensure this field has no more than 4000 characters."],
    ["common_name=%00", /^“common_name”: /],
    ["a\0b=c", "Null characters are not allowed."],
    [5, "Expected text, not 5."],
    [null, "This field may not be null."],
  ] as const
) {
  scenario(`POST calendar-feeds/ refuses the filter ${JSON.stringify(filter).slice(0, 40)}`, {
    as: stranger(),
    post: PATHS.feeds,
    body: { name: "Bad", filter },
    status: 400,
    json: (body) => {
      assert.deepEqual(Object.keys(body), ["filter"]);
      if (typeof message === "string") assert.equal(body.filter[0], message);
      else assert.match(body.filter[0], message);
    },
  });
}
for (const days of [-1, 3_651, 1.5, "soon", true]) {
  scenario(`POST calendar-feeds/ refuses a reminder of ${JSON.stringify(days)} days`, {
    as: stranger(),
    post: PATHS.feeds,
    body: { name: "Bad", alarm_days: days },
    status: 400,
    json: (body) => assert.deepEqual(Object.keys(body), ["alarm_days"]),
  });
}
