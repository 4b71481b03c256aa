/** Requests to channels follow the documentation of the services, for any names and numbers of objects. */

import assert from "node:assert/strict";
import Ajv from "ajv/dist/2020.js";
import type { ChannelKindName } from "../../../src/domain/notices/channel_kinds.ts";
import type { Notice } from "../../../src/domain/notices/describe_due.ts";
import { readyMessage } from "../../../src/domain/notices/message.ts";
import { payloadOf } from "../../../src/domain/notices/payloads.ts";
import { sentence } from "../../../src/domain/notices/sentences.ts";
import { TEST_NOW } from "../../support/test_ca/mod.ts";

type Kind = Exclude<ChannelKindName, "email" | "webhook">;

const BASE = "https://certs.acme.example";
const link = { type: "string", pattern: `^${BASE}/`, maxLength: 2_048 };
const text = (maxLength: number): object => ({ type: "string", minLength: 1, maxLength });
const closed = (properties: object, required: readonly string[]): object => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

/** The documented forms, with their limits of lengths (in code points) and enumerations. */
const SCHEMAS: Readonly<Record<Kind, object>> = {
  // Incoming webhook: text of 40,000 characters, 50 blocks, 3,000 characters in the text of a section.
  slack: closed({
    text: text(40_000),
    unfurl_links: { type: "boolean" },
    blocks: {
      type: "array",
      minItems: 1,
      maxItems: 50,
      items: closed({
        type: { const: "section" },
        text: closed({ type: { const: "mrkdwn" }, text: text(3_000), verbatim: { const: true } }, [
          "type",
          "text",
        ]),
      }, ["type", "text"]),
    },
  }, ["text"]),
  // A message with one Adaptive Card of version 1.4 at most.
  teams: closed({
    type: { const: "message" },
    attachments: {
      type: "array",
      minItems: 1,
      maxItems: 1,
      items: closed({
        contentType: { const: "application/vnd.microsoft.card.adaptive" },
        contentUrl: { type: "null" },
        content: closed({
          $schema: { const: "http://adaptivecards.io/schemas/adaptive-card.json" },
          type: { const: "AdaptiveCard" },
          version: { enum: ["1.0", "1.1", "1.2", "1.3", "1.4"] },
          body: {
            type: "array",
            minItems: 1,
            items: closed({
              type: { const: "TextBlock" },
              text: { type: "string", minLength: 1 },
              wrap: { type: "boolean" },
              weight: { enum: ["lighter", "default", "bolder"] },
              size: { enum: ["small", "default", "medium", "large", "extraLarge"] },
            }, ["type", "text"]),
          },
          actions: {
            type: "array",
            maxItems: 6,
            items: closed({ type: { const: "Action.OpenUrl" }, title: text(100), url: link }, [
              "type",
              "url",
            ]),
          },
        }, ["type", "version", "body"]),
      }, ["contentType", "content"]),
    },
  }, ["type", "attachments"]),
  // Posts of 16,383 characters.
  mattermost: closed({ text: text(16_383), channel: text(64) }, ["text"]),
  // Text of 4,096 characters.
  google_chat: closed({ text: text(4_096) }, ["text"]),
  pagerduty: closed({
    routing_key: text(32),
    event_action: { enum: ["trigger", "acknowledge", "resolve"] },
    dedup_key: text(255),
    client: { type: "string" },
    client_url: link,
    payload: closed({
      summary: text(1_024),
      source: text(255),
      severity: { enum: ["critical", "error", "warning", "info"] },
      timestamp: { type: "string", pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$" },
      component: { type: "string" },
      custom_details: { type: "object" },
    }, ["summary", "source", "severity"]),
    links: {
      type: "array",
      items: closed({ href: link, text: { type: "string" } }, ["href"]),
    },
  }, ["routing_key", "event_action", "payload"]),
  opsgenie: closed({
    message: text(130),
    alias: text(512),
    description: { type: "string", maxLength: 15_000 },
    priority: { enum: ["P1", "P2", "P3", "P4", "P5"] },
    source: text(100),
    tags: { type: "array", maxItems: 20, items: text(50) },
  }, ["message"]),
  ntfy: closed({
    topic: { type: "string", pattern: "^[-_A-Za-z0-9]{1,64}$" },
    title: text(250),
    message: { type: "string", minLength: 1 },
    priority: { type: "integer", minimum: 1, maximum: 5 },
    click: link,
  }, ["topic"]),
};

/** Bytes of the whole body. */
const MAX_BYTES: Readonly<Record<Kind, number>> = {
  slack: 100_000,
  teams: 28 * 1_024,
  mattermost: 70_000,
  google_chat: 32_000,
  pagerduty: 512 * 1_024,
  opsgenie: 100_000,
  ntfy: 2 * 4_096,
};

const SETTINGS: Readonly<Partial<Record<Kind, Record<string, string>>>> = {
  mattermost: { url: "https://chat.example/hooks/x", channel: "operations" },
  ntfy: { topic: "certificates" },
};

/** Names at their limits: long, of characters that grow when they are escaped or encoded, and with the syntax of each service. */
const NAMES = {
  plain: "www.example.com",
  ampersands: "&".repeat(500),
  quotes: '"\\'.repeat(250),
  emoji: "🔒".repeat(250),
  "wide characters": "証".repeat(500),
  "half of a character": `${"a".repeat(199)}\ud83d`,
  "control characters": "a\u0000\u001b[31m\u202e\r\nBcc: x@evil.example\u2028b",
  slack: "<!channel> <@U123> <https://evil.example|www.example.com> *b* @here",
  markdown: "[click](https://evil.example) ![x](https://evil.example/x.png) @all `x` <b>x</b> | ~a~ #x",
} as const;

function noticeOf(name: string, id: number): Notice {
  const brief = { id: 1, display: name, contact: { display: name } };
  const { title, lines, severity } = sentence({
    event: "expiring",
    object: {
      id,
      common_name: name,
      issuer: name,
      serial_number: name,
      tenant: brief,
      owner: brief,
      renewal_note: name,
      valid_to: "2026-11-29T00:00:00Z",
    },
    detail: name,
    escalated: true,
    targets: Array.from({ length: 6 }, () => name),
    days: 7,
    criticalDays: 14,
  });
  return {
    event: "expiring",
    objectType: "certmgr.certificate",
    objectId: id,
    detail: name,
    severity,
    title,
    lines,
    path: `/certificates/${id}/`,
    validTo: TEST_NOW,
  };
}

function bodyOf(kind: Kind, { name, count, more }: { name: string; count: number; more: number }): string {
  const ctx = { baseUrl: BASE, clock: { now: () => TEST_NOW } };
  const notices = Array.from({ length: count }, (_, index) => noticeOf(name, index + 1));
  return payloadOf({
    kind,
    settings: SETTINGS[kind] ?? { url: "https://hooks.example/x" },
    secret: "0123456789abcdef0123456789abcdef",
    message: readyMessage(ctx, { message: { name, userId: 1, notices, more }, key: "key" }),
    messageId: "certmgr-abcdefghijklmnopqrstuvwxyz",
    now: TEST_NOW,
  }).body;
}

const ajv = new Ajv.default({ allErrors: true });

for (const kind of Object.keys(SCHEMAS) as Kind[]) {
  const validate = ajv.compile(SCHEMAS[kind]);
  for (const [what, name] of Object.entries(NAMES)) {
    Deno.test(`${kind}: a message about ${what} has the documented form and size`, () => {
      for (const [count, more] of [[1, 0], [2, 0], [20, 0], [200, 800]] as const) {
        const body = bodyOf(kind, { name, count, more });
        const given = JSON.parse(body);
        assert.ok(validate(given), `${count}: ${JSON.stringify(validate.errors)} ${body.slice(0, 2_000)}`);
        const bytes = new TextEncoder().encode(body).length;
        assert.ok(bytes <= MAX_BYTES[kind], `${count}: ${bytes} bytes`);
        assert.ok(body.isWellFormed() && !/\\ud[89a-f]/i.test(body), "half of a character");
        assert.doesNotMatch(body, /\\u00|\\r|\u202e|\u2028/);
      }
    });
  }
}

Deno.test("messages to chats have at least the first notice, and the number of those that are not shown", () => {
  for (const kind of ["slack", "teams", "mattermost", "google_chat", "ntfy"] as const) {
    for (const name of Object.values(NAMES)) {
      const body = bodyOf(kind, { name, count: 200, more: 800 });
      const links = kind === "ntfy" ? 1 : body.split("/certificates/").length - 1;
      assert.ok(links >= 1, `${kind}: ${body.slice(0, 500)}`);
      const rest = Number(/… and (\d+) more\./.exec(body)?.[1]);
      if (kind !== "ntfy") assert.equal(rest, 1_000 - links, `${kind}: ${body.slice(0, 500)}`);
      else assert.ok(rest > 900 && rest < 1_000, body.slice(0, 500));
    }
  }
});

Deno.test("the largest card is within the limit of Teams, also when each character counts as two bytes", () => {
  for (const name of Object.values(NAMES)) {
    const { length } = bodyOf("teams", { name, count: 200, more: 800 });
    assert.ok(2 * length <= 28 * 1_024, `${length} characters`);
  }
});

Deno.test("names make no links, mentions or images in chats", () => {
  const slack = bodyOf("slack", { name: NAMES.slack, count: 1, more: 0 });
  assert.deepEqual(slack.match(/<[^>]*>/g), [`<${BASE}/certificates/1/|Open>`]);
  for (const kind of ["mattermost", "teams"] as const) {
    const body = bodyOf(kind, { name: NAMES.markdown, count: 1, more: 0 });
    const links = JSON.stringify(JSON.parse(body)).match(/(?<!\\)\]\([^)]*\)/g) ?? [];
    assert.deepEqual([...new Set(links)], [`](${BASE}/certificates/1/)`]);
    assert.doesNotMatch(body, /@all|(?<!\\)!\[|(?<!\\)`/);
  }
});

Deno.test("one object keeps its incident over several messages, and a digest has one for itself", () => {
  for (const kind of ["pagerduty", "opsgenie"] as const) {
    const keyOf = (count: number): string => {
      const body = JSON.parse(bodyOf(kind, { name: "a.example", count, more: 0 }));
      return body.dedup_key ?? body.alias;
    };
    assert.equal(keyOf(1), "certmgr:certmgr.certificate:1");
    assert.equal(keyOf(2), "certmgr-abcdefghijklmnopqrstuvwxyz");
  }
});

Deno.test("a test message says that it tests a channel, other messages name their subscription", () => {
  const ctx = { baseUrl: BASE, clock: { now: () => TEST_NOW } };
  const readyFor = (notice: ReturnType<typeof noticeOf>): [footer: string, manageUrl: string] => {
    const { footer, manageUrl } = readyMessage(ctx, {
      message: { name: "mail", userId: null, notices: [notice], more: 0 },
      key: "key",
    });
    return [footer, manageUrl];
  };
  const notice = noticeOf("www.example", 1);
  assert.deepEqual(readyFor({ ...notice, event: "test" }), [
    'Sent by certmgr to test the notification channel "mail".',
    `${BASE}/notification-channels/`,
  ]);
  assert.deepEqual(readyFor(notice), [
    'Sent by certmgr for the subscription "mail".',
    `${BASE}/subscriptions/`,
  ]);
});

Deno.test("a notice about a new certificate says when it expired if it is in the past", () => {
  const titleFor = (days: number): string =>
    sentence(
      {
        event: "new_certificate",
        object: { id: 1, common_name: "old.example", valid_to: "2025-05-12T23:59:00Z" },
        detail: "",
        escalated: false,
        targets: [],
        days,
        criticalDays: 14,
      } as unknown as Parameters<typeof sentence>[0],
    ).title;
  assert.match(titleFor(-400), /was added, expired 12 May 2025/);
  assert.match(titleFor(0), /was added, valid until 12 May 2025/);
});
