/** A webhook is created, and a test message reaches its receiver. */

import assert from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import { firstWalk } from "./support/walk.ts";

interface Received {
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Starts a receiver on this machine that accepts everything. */
function receive(): AsyncDisposable & { readonly url: string; readonly first: Promise<Received> } {
  const first = Promise.withResolvers<Received>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    first.resolve({ headers: Object.fromEntries(request.headers), body: await request.text() });
    return new Response("taken");
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/hook`,
    first: first.promise,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

firstWalk("a webhook is created with a secret and tested, and its message is signed with that secret", {
  env: { CERTMGR_WEBHOOK_ALLOWED_HOSTS: "127.0.0.1" },
}, async ({ page, go, password }) => {
  await using receiver = receive();
  await go("/webhooks/");
  await page.getByLabel("Username").fill("admin");
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { level: 1, name: "Webhooks" }).waitFor();

  await page.getByRole("button", { name: "New webhook" }).click();
  await page.getByLabel("Name").fill("Tickets");
  await page.getByLabel("Certificate", { exact: true }).check();
  await page.getByLabel("An object is added", { exact: true }).check();
  await page.getByLabel("Payload URL").fill(receiver.url);
  await page.getByRole("button", { name: "Create webhook" }).click();
  const secret = await page.getByLabel("Secret", { exact: true }).innerText();
  await page.locator("main").getByRole("button").last().click();

  await page.getByRole("button", { name: "Send test" }).click();
  await page.getByRole("status").getByText("Test message queued.").waitFor();
  const { headers, body } = await receiver.first;
  assert.ok(new Webhook(secret).verify(body, headers), "The signature does not hold");
  // The result appears without a reload.
  const messages = page.getByRole("region", { name: "Latest messages" });
  await messages.getByText("delivered").waitFor();
  await messages.getByText(/^200 after \d+ ms$/).waitFor();

  await messages.getByRole("link").first().click();
  await page.getByRole("button", { name: "Redeliver" }).click();
  await page.getByRole("status").getByText("Message queued.").waitFor();
});
