/** E-mails in a mail program with style sheets are readable, fit the screen, and load nothing. */

import assert from "node:assert/strict";
import type { Notice } from "../../src/domain/notices/describe_due.ts";
import { type ReadyMessage, readyMessage } from "../../src/domain/notices/message.ts";
import { sentence } from "../../src/domain/notices/sentences.ts";
import { htmlText } from "../../src/domain/notices/texts.ts";
import { TEST_NOW } from "../support/test_ca/mod.ts";
import { assertAccessible } from "./support/axe.ts";
import { browser, closeBrowser } from "./support/chromium.ts";
import { SCHEMES, shots, WIDTHS } from "./support/shots.ts";
import { horizontalOverflow } from "./support/walk.ts";

const HOSTILE = `"><img src="https://evil.example/x.png"><script>document.title="x"</script>` +
  `<style>@import "https://evil.example/x.css";</style>`;

type Facts = Parameters<typeof sentence>[0];

function certificateNotice(name: string, more: Partial<Facts> = {}): Notice {
  const facts: Facts = {
    event: "expiring",
    object: {
      id: 7,
      common_name: name,
      issuer: "CN=R11, O=Let's Encrypt, C=US",
      serial_number: "03:A1:55:1C:92:7F:0E:44:10:02:FF:3B:7D:00:CD:19:AE:51",
      tenant: { display: name === HOSTILE ? HOSTILE : "Acme" },
      owner: { contact: { display: name === HOSTILE ? HOSTILE : "Web team" } },
      renewal_note: "order at the portal",
      valid_to: "2026-06-22T00:00:00Z",
    },
    detail: "",
    escalated: false,
    targets: ["lb-1", "lb-2"],
    days: 7,
    criticalDays: 14,
    ...more,
  };
  return {
    event: facts.event,
    objectType: "certmgr.certificate",
    objectId: 7,
    detail: "",
    ...sentence(facts),
    path: "/certificates/7/",
    ...(facts.event === "expiring" ? { validTo: TEST_NOW } : {}),
  };
}

const ENDPOINT: Notice = {
  detail: "",
  event: "endpoint_wrong",
  objectType: "certmgr.endpoint",
  objectId: 1,
  ...sentence({
    event: "endpoint_wrong",
    object: {
      id: 1,
      host: "www.example.com",
      port: 443,
      server_name: null,
      protocol: "tls",
      state_message: "The certificate is not the expected one.",
      certificate: { display: "old.example.com" },
      last_changed: "2026-06-15T08:00:00Z",
      tenant: { display: "Acme" },
    },
    detail: "The certificate is not the expected one.",
    escalated: false,
    targets: [],
    days: 0,
    criticalDays: 14,
  }),
  path: "/endpoints/1/",
};

const POLICY: Notice = {
  detail: "",
  event: "policy_failed",
  objectType: "certmgr.compliancecheck",
  objectId: 3,
  ...sentence({
    event: "policy_failed",
    object: {
      id: 3,
      certificate: { display: "www.example.com" },
      policy: { display: "Keys of 2048 bits" },
      message: "The key has 1024 bits, fewer than 2048.",
      severity: "critical",
    },
    detail: "",
    escalated: false,
    targets: [],
    days: 0,
    criticalDays: 14,
  }),
  path: "/checks/3/",
};

const TEST: Notice = {
  detail: "",
  event: "test",
  objectType: "certmgr.notificationchannel",
  objectId: 0,
  severity: "info",
  title: "Test message of the channel Mail",
  lines: ["Sent by alice."],
  path: "/notification-channels/",
};

const MAILS: Readonly<Record<string, readonly Notice[]>> = {
  "expiring at once": [certificateNotice("www.example.com")],
  digest: [
    certificateNotice("www.example.com"),
    certificateNotice("api.example.com", { event: "expired", days: -2 }),
    certificateNotice("mail.example.com", { event: "new_certificate" }),
    ENDPOINT,
    POLICY,
  ],
  "policy failed": [POLICY],
  "endpoint wrong": [ENDPOINT],
  "test message": [TEST],
  "hostile names": [certificateNotice(HOSTILE)],
  "long names": [certificateNotice("x".repeat(200), { targets: Array(6).fill("y".repeat(200)) })],
};

function htmlOf(notices: readonly Notice[], more = 0): string {
  const ctx = { baseUrl: "https://certs.acme.example", clock: { now: () => TEST_NOW } };
  const name = notices[0]?.title.includes("evil") ? HOSTILE : "My certificates";
  const message: ReadyMessage = readyMessage(ctx, { message: { name, userId: 1, notices, more }, key: "k" });
  return htmlText(message);
}

/** Width of the reading pane of a mail program. */
const PANE = 700;

Deno.test.afterAll(closeBrowser);

/** Rules for whole pages. A mail is shown inside the page of a mail program, which has landmarks and a heading. */
const OF_PAGES = ["landmark-one-main", "page-has-heading-one", "region"];

Deno.test({
  name: "mails load nothing, fit the screen and are readable in light and dark",
  // The browser is a separate program that outlives a test.
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(t): Promise<void> {
    for (const scheme of SCHEMES) {
      for (const width of [WIDTHS.phone, PANE]) {
        const context = await (await browser()).newContext({
          colorScheme: scheme,
          viewport: { width, height: 700 },
        });
        const page = await context.newPage();
        const requests: string[] = [];
        page.on("request", (request) => requests.push(request.url()));
        for (const [kind, notices] of Object.entries(MAILS)) {
          await t.step(`${kind}, ${scheme}, ${width} pixels`, async () => {
            await page.setContent(htmlOf(notices, kind === "digest" ? 12 : 0), { waitUntil: "load" });
            assert.deepEqual(requests, []);
            const loading = page.locator("img, script, iframe, link, object, form, [src], [background]");
            assert.equal(await loading.count(), 0);
            assert.deepEqual(await horizontalOverflow(page), []);
            const links = await page.locator("a").evaluateAll((all) =>
              all.map((one) => one.getAttribute("href") ?? "")
            );
            for (const link of links) assert.match(link, /^https:\/\/certs\.acme\.example\//);
            assert.notEqual(await page.title(), "x");
            assert.doesNotMatch(await page.locator("body").innerText(), /undefined|null|\[object/);
            await assertAccessible(page, kind, { except: OF_PAGES });
            if (scheme === "light" && width === PANE) await shots(page, `mail-${kind.replaceAll(" ", "-")}`);
          });
        }
        await context.close();
      }
    }
  },
});
