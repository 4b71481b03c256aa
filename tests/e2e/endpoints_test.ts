/** Drift after a renewal, in the browser, with real servers, of which only one reloads its certificate. */

import assert from "node:assert/strict";
import { probeBySockets } from "../../src/probe/probe_by_sockets.ts";
import { freePort } from "../support/loopback.ts";
import { opensslServer, type TlsServer } from "../support/tls_servers.ts";
import { TestCa, type TestCertificate } from "../support/test_ca/mod.ts";
import { closeBrowser } from "./support/chromium.ts";
import { CHIEF, openSite } from "./support/site.ts";
import { openWindow } from "./support/walk.ts";

const root = await TestCa.root({ cn: "Drift Root", key: "rsa2048" });
const HOSTS = ["127.0.0.21", "127.0.0.22"] as const;
const issue = (notAfter: string): Promise<TestCertificate> =>
  root.issue({
    cn: "drift.example",
    sans: HOSTS.map((host) => `IP:${host}` as const),
    key: "rsa2048",
    notAfter,
  });

Deno.test.afterAll(closeBrowser);

Deno.test({
  name: "after a renewal the page of the successor shows where it is deployed, and the endpoint that drifted",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(): Promise<void> {
    await using site = await openSite({ probe: probeBySockets });
    const headers = { ...await site.identify(CHIEF), "content-type": "application/json" };
    const ask = async (path: string, body: unknown): Promise<{ id: number }> => {
      const options = { method: "POST", headers, body: JSON.stringify(body) };
      const response = await fetch(`${site.origin}/api/plugins/certmgr/${path}`, options);
      assert.ok(response.ok, await response.clone().text());
      return await response.json();
    };
    await ask("certificate-authorities/", { name: "Drift Root", type: "internal", pem_content: root.pem });
    const [old, fresh] = [await issue("2026-08-01"), await issue("2026-12-01")];
    const { id } = await ask("certificates/import/", { pem_content: old.pem });
    const port = freePort(HOSTS[0]);
    let first: TlsServer = await opensslServer({ leaf: old, address: HOSTS[0], port });
    const second = await opensslServer({ leaf: old, address: HOSTS[1], port });
    try {
      await openWindow(
        site.origin,
        { enter: (context) => site.enter(context, CHIEF) },
        async ({ page, go }) => {
          await go("/endpoints/import/");
          await page.getByLabel("Hosts").fill(HOSTS.map((host) => `${host}:${port}`).join("\n"));
          await page.getByRole("button", { name: "Preview" }).click();
          await page.getByRole("button", { name: "Add 2 endpoints" }).click();
          await page.getByText("2 endpoints added.").waitFor();
          const probeAll = async (): Promise<string[]> => {
            site.service.clock.advance(60_000);
            const messages: string[] = [];
            for (const host of HOSTS) {
              await go(`/endpoints/?host=${host}`);
              await page.getByRole("link", { name: `${host}:${port}`, exact: true }).click();
              await page.getByRole("button", { name: "Probe now" }).click();
              messages.push(await page.getByText(/^Probed\./).innerText());
            }
            return messages;
          };
          assert.deepEqual(await probeAll(), Array(2).fill("Probed. The certificate is as expected."));
          const { new: successor } = await ask(`certificates/${id}/renew/`, {
            pem_content: fresh.pem,
          }) as unknown as {
            new: { id: number };
          };
          await first[Symbol.asyncDispose]();
          first = await opensslServer({ leaf: fresh, address: HOSTS[0], port });
          const [reloaded, drifted] = await probeAll();
          assert.match(reloaded ?? "", /as expected/);
          assert.match(drifted ?? "", /still serves a certificate .* that was replaced/);
          await go(`/certificates/${successor.id}/`);
          const served = page.locator("section[aria-labelledby=served]");
          assert.match(await served.innerText(), /served at 1 of 2 expected/);
          assert.match(await served.innerText(), /superseded/);
        },
      );
    } finally {
      await first[Symbol.asyncDispose]();
      await second[Symbol.asyncDispose]();
    }
  },
});
