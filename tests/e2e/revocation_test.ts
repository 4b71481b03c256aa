/** A revocation from the authority to the pages, a mail and a webhook, and its end; with openssl as authority and server. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { DAY_MS, startOfDay } from "../../src/base/clock.ts";
import { probeDue } from "../../src/domain/endpoints/probing/service.ts";
import { noticeSender } from "../../src/domain/notices/notice_messages.ts";
import { runDueJobs } from "../../src/domain/system/jobs/jobs.ts";
import { drainOnce } from "../../src/domain/webhooks/sending/deliver.ts";
import { parseAllowedHosts } from "../../src/http/mod.ts";
import { sendGuarded } from "../../src/http/send_guarded.ts";
import { smtpSender } from "../../src/mail/smtp.ts";
import { probeBySockets } from "../../src/probe/probe_by_sockets.ts";
import { mailServer } from "../domain/notices/mail_server.ts";
import { startHost } from "../domain/revocation/support.ts";
import { OpensslAuthority } from "../support/openssl_authority.ts";
import { opensslServer } from "../support/tls_servers.ts";
import { closeBrowser } from "./support/chromium.ts";
import { CHIEF, openSite } from "./support/site.ts";
import { openWindow } from "./support/walk.ts";

const HOST = "127.0.0.31";
const NAME = "shop.example";
const MINUTE_MS = 60_000;
/** Within this time of the last answer the authority is asked again. */
const SCHEDULE_MS = 25 * 60 * MINUTE_MS;

Deno.test.afterAll(closeBrowser);

Deno.test({
  name:
    "what an authority revokes is revoked on every page, in a mail and in a webhook message, until it is not",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(): Promise<void> {
    await using authority = await OpensslAuthority.create("rsa", { name: "Shop CA" });
    await using host = startHost();
    await using mails = await mailServer({});
    const messages: { event: string; data: Record<string, unknown> }[] = [];
    await using receiver = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      async (request) => {
        messages.push(await request.json());
        return new Response();
      },
    );
    host.answers.set(
      "/shop.crl",
      async () => new Response(await authority.list() as Uint8Array<ArrayBuffer>),
    );
    const leaf = await authority.issue(
      NAME,
      `subjectAltName=IP:${HOST},DNS:${NAME}\ncrlDistributionPoints=URI:${host.origin}/shop.crl`,
    );
    const privateKeyPem = await Deno.readTextFile(leaf.keyPath);
    await using server = await opensslServer({
      leaf: { pem: leaf.pem, key: { privateKeyPem } },
      address: HOST,
    });

    const allowedTargets = parseAllowedHosts(["127.0.0.1"]);
    await using site = await openSite({ probe: probeBySockets, settings: { allowedTargets } });
    const { clock, database, ctx: given } = site.service;
    // openssl uses the time of the machine.
    clock.advance(Date.now() - clock.now());
    await database.write((tx) => tx.run(sql`UPDATE endpoints SET next_probe = NULL`));
    const ctx = { ...given, send: sendGuarded, settings: { ...given.settings, allowedTargets } };
    const sender = noticeSender({
      send: sendGuarded,
      mail: smtpSender(mails.settings),
      mailFrom: "certmgr@acme.example",
    });
    /** Lets the service work after a time, until what follows from changes of certificates is done, too. */
    const later = async (by: number): Promise<void> => {
      for (const step of [by, MINUTE_MS]) {
        clock.advance(step);
        await runDueJobs(() => ctx, { owner: "test" });
        await probeDue({ context: () => ctx, owner: "test", probe: probeBySockets });
        await drainOnce(ctx, 1_000, { send: sendGuarded, more: [sender], random: () => 0 });
      }
    };

    const headers = { ...await site.identify(CHIEF), "content-type": "application/json" };
    const post = async (path: string, body: unknown): Promise<{ id: number }> => {
      const response = await fetch(`${site.origin}/api/${path}`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
      assert.ok(response.ok, await response.clone().text());
      return await response.json();
    };
    const user = await site.userOf(CHIEF);
    await database.write((tx) =>
      tx.run(sql`UPDATE users SET email = 'chief@acme.example' WHERE id = ${user}`)
    );
    await post("plugins/certmgr/certificate-authorities/", {
      name: "Shop CA",
      pem_content: authority.root.pem,
    });
    const { id } = await post("plugins/certmgr/certificates/import/", { pem_content: leaf.pem });
    const endpoint = await post("plugins/certmgr/endpoints/", { host: HOST, port: server.port });
    await post("plugins/certmgr/subscriptions/", {
      name: "Urgent",
      user,
      mode: "immediate",
      events: ["certificate_revoked", "endpoint_wrong", "endpoint_recovered"],
    });
    await post("extras/webhooks/", {
      name: "Tickets",
      object_types: ["certmgr.certificate"],
      events: ["updated", "certificate.revoked"],
      payload_url: `http://127.0.0.1:${receiver.addr.port}/`,
    });

    await openWindow(
      site.origin,
      { enter: (context) => site.enter(context, CHIEF) },
      async ({ page, go }) => {
        const textAt = async (path: string): Promise<string> => {
          await go(path);
          return await page.locator("main").innerText();
        };
        const row = async (query: string): Promise<string[]> => {
          await go(`/certificates/?q=${NAME}&${query}`);
          return await page.getByRole("row").filter({ hasText: NAME }).allInnerTexts();
        };
        /** Waits for the schedule, in which sessions end. */
        const nextDay = async (): Promise<void> => {
          await later(SCHEDULE_MS);
          await site.enter(page.context(), CHIEF);
        };
        const revocation = page.locator("section[aria-labelledby=revocation]");

        await later(MINUTE_MS);
        await go(`/certificates/${id}/`);
        assert.match(await revocation.innerText(), /Its authority says that it is not revoked/);
        assert.equal((await row("revocation_status=good")).length, 1);
        assert.doesNotMatch(await textAt(`/endpoints/${endpoint.id}/`), /revoked/i);
        assert.deepEqual([mails.received.length, host.requests.length], [0, 1]);
        messages.length = 0;

        const revoked = Date.now();
        await authority.revoke(leaf, "certificateHold");
        await nextDay();
        const [listed = ""] = await row("");
        if (!listed) console.log(await page.locator("body").innerText(), site.service.log.slice(-5));
        assert.match(listed, /revoked/);
        assert.equal((await row("revocation_status=revoked")).length, 1);
        const certificate = await textAt(`/certificates/${id}/`);
        // In the last hour of a day, the schedule ends on the day after the next one.
        const days = (startOfDay(clock.now()) - startOfDay(revoked)) / DAY_MS;
        assert.ok(days === 1 || days === 2);
        assert.match(certificate, new RegExp(`Revoked ${days} days? ago and still served`));
        assert.match(await revocation.innerText(), /reason: certificate hold/);
        const evidence = await revocation.getByRole("table").innerText();
        assert.match(evidence, /Revocation list/);
        assert.match(evidence, /Revoked on .* \(certificate hold\), says CN=Shop CA/);
        assert.match(await textAt(`/endpoints/${endpoint.id}/`), /revoked/i);
        assert.match(await textAt(`/endpoints/?state=revoked`), new RegExp(HOST));
        const mailed = mails.received.splice(0).map(({ text }) => text).join("\n");
        assert.match(mailed, /shop\.example was revoked by its authority/);
        assert.match(mailed, /Revoked on \S+ \(certificate hold\), says CN=Shop CA\./);
        assert.match(mailed, new RegExp(`Endpoint ${HOST}:${server.port} serves a revoked certificate`));
        const about = messages.splice(0).filter(({ data }) => data.id === id);
        assert.ok(about.some(({ event, data }) => event === "updated" && data.status === "revoked"));
        const [told, ...more] = about.filter(({ event }) => event === "certificate.revoked");
        assert.match(String(told?.data.detail), /^Revoked on \S+ \(certificate hold\), says CN=Shop CA\.$/);
        assert.deepEqual(more, []);

        await authority.release(leaf);
        await nextDay();
        assert.equal((await row("revocation_status=good&status=active")).length, 1);
        await go(`/certificates/${id}/`);
        assert.match(await revocation.innerText(), /Its authority says that it is not revoked/);
        assert.doesNotMatch(await textAt(`/endpoints/${endpoint.id}/`), /is revoked/i);
        const returned = messages.filter(({ data }) => data.id === id).map((
          { event, data },
        ) => [event, data.status]);
        assert.deepEqual(returned, [["updated", "active"]]);
        assert.match(mails.received.map(({ text }) => text).join("\n"), /is as expected again/);
      },
    );
  },
});
