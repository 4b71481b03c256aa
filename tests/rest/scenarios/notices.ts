/** Notification channels, subscriptions, responses to notices. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { granted, readerOf } from "../../support/actors.ts";
import type { TestApp } from "../../support/app.ts";
import { certificate, PATHS } from "../../support/paths.ts";
import { type Scenario, scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";

const CHANNEL = "certmgr.notificationchannel";
const CERTIFICATE = "certmgr.certificate";
const NOT_FOUND = { detail: "Not found." };
const FORBIDDEN = { detail: "You do not have permission to perform this action." };
const MAIL = `${PATHS.channels}${seed.channels.mail}/`;
const CHAT = `${PATHS.channels}${seed.channels.chat}/`;
const ACME = {
  types: [CERTIFICATE],
  actions: ["view", "acknowledge"],
  constraints: { tenant__slug: "acme" },
};

async function enable({ database }: TestApp): Promise<void> {
  await database.write((tx) => tx.run(sql`UPDATE notification_channels SET enabled = 1`));
}

scenario("The URL of a chat channel is returned as its origin only", {
  as: "superuser",
  get: CHAT,
  status: 200,
  excludes: ["SeededChannel"],
  json: ({ settings }) => assert.deepEqual(settings, { url: "https://hooks.globex.example/…" }),
});
scenario("Writing back the concealed URL of a channel keeps the stored one", {
  as: "superuser",
  patch: CHAT,
  body: { settings: { url: "https://hooks.globex.example/…" }, name: "Renamed" },
  status: 200,
  changes: [`update ${CHANNEL}`],
  json: ({ settings }) => assert.deepEqual(settings, { url: "https://hooks.globex.example/…" }),
});

function refused(title: string, body: object, errors: object, more: Partial<Scenario> = {}): void {
  scenario(`POST ${PATHS.channels} ${title}`, {
    as: "superuser",
    post: PATHS.channels,
    body: { name: "New", ...body },
    status: 400,
    equals: errors,
    ...more,
  });
}

refused("refuses a URL of this machine", { kind: "slack", settings: { url: "http://127.0.0.1/x" } }, {
  settings: [
    "url: 127.0.0.1 is a loopback address. Use a public host, or one that CERTMGR_WEBHOOK_ALLOWED_HOSTS lists.",
  ],
});
refused("refuses an unknown setting", { kind: "email", settings: { form: "a@acme.example" } }, {
  settings: ['form: Unknown field. Did you mean "from"?'],
});
refused("refuses an invalid address", { kind: "email", settings: { from: "a@b@c" } }, {
  settings: ["from: Expected an e-mail address."],
});
refused("requires the routing key of PagerDuty", { kind: "pagerduty" }, {
  secret: ["Expected the routing key of the integration."],
});
refused(
  "refuses a secret of a kind that has none",
  {
    kind: "slack",
    settings: { url: "https://hooks.acme.example/" },
    secret: "0123456789",
  },
  { secret: ["Channels of the kind slack have no secret."] },
  { excludes: ["0123456789"] },
);
scenario("A stored secret is not sent to another origin", {
  as: "superuser",
  patch: `${PATHS.channels}${seed.channels.idle}/`,
  before: async ({ database }) => {
    await database.write((tx) => tx.run(sql`UPDATE notification_channels SET secret = 'tk_stored'`));
  },
  body: { settings: { url: "https://other.example/", topic: "certificates" } },
  status: 400,
  equals: { secret: ["The stored secret is not sent to another origin. Enter it again with the new URL."] },
});

function test(title: string, expected: Partial<Scenario>): void {
  scenario(`POST ${MAIL}test/ ${title}`, {
    as: "superuser",
    post: `${MAIL}test/`,
    before: enable,
    body: { recipient: "alice@acme.example" },
    status: 202,
    ...expected,
  });
}

test("queues a message and returns its delivery", {
  json: ({ event, state, attempts, notices, channel }) => {
    assert.deepEqual([event, state, attempts, notices], ["test", "pending", 0, 1]);
    assert.equal(channel.name, "Mail");
  },
});
test("refuses a recipient that is not an address", {
  body: { recipient: "nobody" },
  status: 400,
  equals: { recipient: ['Expected an e-mail address, not "nobody".'] },
});
test("needs an address", {
  body: undefined,
  status: 400,
  equals: { recipient: ["Your account has no e-mail address. Specify recipient."] },
});
test("refuses a disabled channel", {
  before: () => {},
  status: 409,
  equals: { detail: "The channel is disabled. Enable it first." },
});
test("answers 404 for a channel that the caller may not change", {
  as: granted([{ types: [CHANNEL], actions: ["change"], constraints: { name: "Idle" } }]),
  status: 404,
  equals: NOT_FOUND,
});
test("answers 403 without change", {
  as: granted([{ types: [CHANNEL], actions: ["view"] }]),
  status: 403,
  equals: FORBIDDEN,
});
test("answers 401 without credentials", { as: "nobody", status: 401 });

for (const [query, found] of [["events=expiring", true], ["events__n=expiring", false]] as const) {
  scenario(`GET ${PATHS.subscriptions}?${query} filters by the events of the subscription`, {
    as: "superuser",
    get: `${PATHS.subscriptions}?${query}&limit=0`,
    status: 200,
    json: ({ results }) =>
      assert.equal(
        (results as { id: number }[]).some(({ id }) => id === seed.subscriptions.alice),
        found,
      ),
  });
}
scenario("Users have their own subscriptions, to their own addresses", {
  as: readerOf("acme"),
  post: PATHS.subscriptions,
  before: async ({ database }) => {
    await database.write((tx) => tx.run(sql`UPDATE users SET email = 'me@acme.example' WHERE email = ''`));
  },
  body: { name: "Mine", events: ["expiring"] },
  status: 201,
  changes: ["create certmgr.subscription"],
  json: ({ channel, recipients, mode, at, time_zone, thresholds }) =>
    assert.deepEqual({ channel, recipients, mode, at, time_zone, thresholds }, {
      channel: null,
      recipients: [],
      mode: "daily",
      at: "08:00",
      time_zone: "UTC",
      thresholds: ["30d", "14d", "7d", "1d"],
    }),
});
scenario("Without a channel a subscription has no other recipients", {
  as: readerOf("acme"),
  post: PATHS.subscriptions,
  body: { name: "Mine", events: ["expiring"], recipients: ["someone@globex.example"] },
  status: 400,
  equals: {
    channel: ["Without a channel, messages go to the user's own address. Choose a channel first."],
  },
});
scenario("Without a channel a subscription needs a user with an address, and says what else is possible", {
  as: granted([{ types: ["certmgr.subscription", CHANNEL], actions: ["view", "add"] }]),
  post: PATHS.subscriptions,
  body: { name: "Mine", events: ["expiring"] },
  status: 400,
  equals: {
    channel: [
      "The user has no e-mail address. Add one to the user, or choose an e-mail channel and recipients.",
    ],
  },
});
scenario("A creation without a body says that it is empty", {
  as: "superuser",
  post: PATHS.subscriptions,
  status: 400,
  contains: ["The body is empty. Expected an object."],
});
scenario("Only a superuser can redirect the messages of another user", {
  as: granted([{ types: ["certmgr.subscription", CHANNEL], actions: ["view", "change"] }]),
  patch: `${PATHS.subscriptions}${seed.subscriptions.alice}/`,
  body: { recipients: ["thief@globex.example"] },
  status: 400,
  equals: {
    recipients: [
      "Messages contain what the subscription's user may view. Only superusers may change where they are sent.",
    ],
  },
});
for (
  const [field, value, message] of [
    ["time_zone", "Mars/Olympus", 'Expected a time zone such as Europe/Berlin or UTC, not "Mars/Olympus".'],
    ["at", "24:00", 'Expected a time such as 08:00, not "24:00".'],
    ["filter", "nonsense=1", null],
    [
      "filter",
      "common_name__regex=^www",
      "“common_name__regex”: Regular expressions cannot be used in the filter of a calendar feed or subscription.",
    ],
    ["events", ["expires"], null],
    ["thresholds", ["30"], null],
    [
      "recipients",
      ["a b@acme.example"],
      'Entry 1: Expected an e-mail address or "owner", not "a b@acme.example".',
    ],
    ["escalate_to", seed.subscriptions.alice, "A subscription cannot escalate to itself."],
  ] as const
) {
  scenario(`PATCH ${PATHS.subscriptions}{id}/ refuses ${field} ${JSON.stringify(value)}`, {
    as: "superuser",
    patch: `${PATHS.subscriptions}${seed.subscriptions.alice}/`,
    body: { [field]: value },
    status: 400,
    json: (body) => {
      assert.ok(Array.isArray(body[field]), JSON.stringify(body));
      if (message !== null) assert.ok(body[field].includes(message), JSON.stringify(body));
    },
  });
}

for (const [name, body] of [["acknowledge", {}], ["snooze", { until: "2026-07-01" }]] as const) {
  const path = certificate(seed.certificates.acmeCritical, `${name}/`);
  scenario(`POST ${name}/ stores the response`, {
    as: granted([ACME]),
    post: path,
    body: { ...body, reason: "Carol renews it" },
    status: 200,
    changes: [`update ${CERTIFICATE}`],
    json: (response) => {
      assert.equal(response.certificate, seed.certificates.acmeCritical);
      assert.equal(response.acknowledged, name === "acknowledge");
      assert.equal(response.snoozed_until, name === "snooze" ? "2026-07-01T00:00:00Z" : null);
      assert.equal(response.reason, "Carol renews it");
    },
  });
  scenario(`POST ${name}/ answers 404 for a hidden certificate`, {
    as: granted([ACME]),
    post: certificate(seed.certificates.globexWeb, `${name}/`),
    body,
    status: 404,
    equals: NOT_FOUND,
  });
  scenario(`POST ${name}/ answers 403 to a caller with only view`, {
    as: readerOf("acme"),
    post: path,
    body,
    status: 403,
    equals: FORBIDDEN,
  });
  scenario(`POST ${name}/ answers 401 without credentials`, { as: "nobody", post: path, body, status: 401 });
  scenario(`POST ${name}/ refuses an unknown field`, {
    as: granted([ACME]),
    post: path,
    body: { ...body, reasons: "" },
    status: 400,
    json: (errors) => assert.match(errors.reasons[0], /Unknown field/),
  });
}
scenario("POST remind/ without a response changes nothing", {
  as: granted([ACME]),
  post: certificate(seed.certificates.acmeCritical, "remind/"),
  status: 200,
  changes: [],
  json: (response) => assert.deepEqual([response.acknowledged, response.snoozed_until], [false, null]),
});
for (
  const [as, id, status] of [
    [granted([ACME]), seed.certificates.globexWeb, 404],
    [readerOf("acme"), seed.certificates.acmeCritical, 403],
    ["nobody", seed.certificates.acmeCritical, 401],
  ] as const
) {
  scenario(`POST remind/ answers ${status}`, { as, post: certificate(id, "remind/"), status });
}
for (const until of ["2026-06-15", "soon", "2099-01-01"]) {
  scenario(`POST snooze/ refuses ${until}`, {
    as: granted([ACME]),
    post: certificate(seed.certificates.acmeCritical, "snooze/"),
    body: { until },
    status: 400,
    json: (errors) => assert.match(errors.until[0], new RegExp(`not "${until}"`)),
  });
}

const TELL = `${PATHS.certificates}tell-owners/`;
const { acmeWeb, acmeCritical, globexWeb } = seed.certificates;
const TELLER = [
  { types: [CERTIFICATE], actions: ["view", "change"], constraints: { tenant__slug: "acme" } },
  { types: ["tenancy.contact", "tenancy.contactassignment"], actions: ["view"] },
];

function tell(title: string, body: object | undefined, expected: Partial<Scenario>): void {
  scenario(`POST ${TELL} ${title}`, { as: "superuser", post: TELL, body, status: 200, ...expected });
}

tell("queues a message to each owner and records it", { ids: [acmeWeb, acmeCritical, globexWeb] }, {
  as: granted(TELLER),
  changes: [`update ${CERTIFICATE}`],
  excludes: ["globex"],
  json: ({ total, told, not_told, subject }) => {
    assert.equal(total, 2);
    assert.match(subject, /^Your certificates: the first expires in \d+ days \(\d+ \w+ \d{4}\)$/);
    assert.equal(told.length, 1);
    assert.deepEqual(
      [told[0].owner.display, told[0].recipient, told[0].certificates],
      ["Web team", "web@acme.example", [acmeWeb]],
    );
    assert.match(
      told[0].text,
      /^Hello Web team,\n\nyou are responsible for this certificate. Please renew in time, or tell us who does:\n\n\* www\.acme/,
    );
    assert.ok(told[0].delivery > 0);
    assert.deepEqual(not_told, [{ certificate: acmeCritical, reason: "no_owner" }]);
  },
});
tell("returns what it would send", { ids: [acmeWeb], dry_run: true }, {
  json: ({ subject, told }) => {
    assert.match(
      subject,
      /^www\.acme\.example must be replaced by .*; it expires in \d+ days \(\d+ \w{3} 20\d\d\)/,
    );
    assert.equal(told[0].delivery, null);
  },
});
tell("ignores hidden certificates like missing ones", { ids: [globexWeb, 999_999] }, {
  as: granted(TELLER),
  json: ({ total, told, not_told }) => assert.deepEqual([total, told, not_told], [0, [], []]),
});
for (const line of ["One\nBcc: all@acme.example", "One\r\nTwo", "One\u2028Two", "\u202eenO"]) {
  tell(`refuses the subject ${encodeURIComponent(line)}`, { ids: [acmeWeb], subject: line }, {
    status: 400,
    json: ({ subject }) => assert.match(subject[0], /^Expected a subject in one line, not "/),
  });
}
tell("refuses a text for somebody else", { ids: [acmeWeb], texts: { 2: "Hello" } }, {
  status: 400,
  equals: { texts: ['Expected the id of an owner of these certificates, not "2".'] },
});
tell("refuses a private key in a text", {
  ids: [acmeWeb],
  texts: { 1: "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA==\n-----END PRIVATE KEY-----" },
}, { status: 400, excludes: ["MC4CAQ"], json: ({ texts }) => assert.match(texts[0], /Private key/) });
tell("refuses a long text", { ids: [acmeWeb], texts: { 1: "x".repeat(100_001) } }, {
  status: 400,
  json: (errors) => assert.match(JSON.stringify(errors), /100000/),
});
tell("needs certificates", { ids: [] }, { status: 400, json: ({ ids }) => assert.equal(ids.length, 1) });
tell("refuses more than 1000 certificates", { ids: Array.from({ length: 1_001 }, (_, index) => index + 1) }, {
  status: 400,
  json: ({ ids }) => assert.match(ids[0], /at most 1000 ids/),
});
tell("needs a mail server", { ids: [acmeWeb] }, {
  app: { settings: { mailConfigured: false } },
  status: 409,
  equals: { detail: "E-mail is not configured. An administrator can set CERTMGR_SMTP_URL." },
});
const CONTACTS = { types: ["tenancy.contact"], actions: ["view"] };
for (
  const [lacking, grants] of [
    ["view", [{ types: [CERTIFICATE], actions: ["change"] }, CONTACTS]],
    ["change", [{ types: [CERTIFICATE], actions: ["view"] }, CONTACTS]],
    ["view on contacts", TELLER.slice(0, 1)],
  ] as const
) {
  tell(`answers 403 without ${lacking}`, { ids: [acmeWeb] }, {
    as: granted(grants),
    status: 403,
    equals: FORBIDDEN,
  });
}
tell("answers 401 without credentials", { ids: [acmeWeb] }, { as: "nobody", status: 401 });
