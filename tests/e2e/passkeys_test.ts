/** Passkeys in Chromium, with its virtual authenticator. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import type { CDPSession, Page } from "playwright-core";
import { assertAccessible } from "./support/axe.ts";
import { shots } from "./support/shots.ts";
import { CHIEF, PASSWORD, type Site } from "./support/site.ts";
import { horizontalOverflow, type Walk, walk } from "./support/walk.ts";
import { codeAt } from "../web/second_factor_support.ts";

/** Returns the URL with the name localhost, because browsers allow no passkeys for IP addresses. */
function localhost({ origin }: Site): string {
  return origin.replace("127.0.0.1", "localhost");
}

/** Adds a virtual security key that is present and verifies its user. */
async function addAuthenticator(page: Page): Promise<{ cdp: CDPSession; authenticatorId: string }> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { cdp, authenticatorId };
}

async function enterPassword(page: Page): Promise<void> {
  await page.getByLabel("Username").fill(CHIEF.username);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** Signs in with the password, adds a passkey on the pages, and returns the recovery codes. */
async function addPasskey({ page, site }: Walk): Promise<string[]> {
  await site.withPassword(CHIEF);
  await page.goto(`${localhost(site)}/sign-in/?next=/profile/security/`);
  await enterPassword(page);
  await arrive(page, "/profile/security/");
  await page.getByRole("button", { name: "Add passkey" })
    .click();
  await page.getByLabel("Name").fill("Laptop");
  await page.getByLabel("Current password").fill(PASSWORD);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Create passkey" }).click();
  await page.getByRole("heading", { name: "Recovery codes" }).waitFor();
  const codes = await page.getByLabel("Recovery codes", { exact: true }).innerText();
  return codes.trim().split("\n");
}

/** Waits for a page by its path; the query of the sign-in page names the next one. */
async function arrive(page: Page, path: string): Promise<void> {
  await page.waitForURL((url) => url.pathname === path);
}

async function signOut({ page, site }: Walk): Promise<void> {
  await page.context().clearCookies();
  await page.goto(`${localhost(site)}/sign-in/?next=/profile/`);
}

/** Returns the browser's response to the passkey form of the page, without sending it. */
async function answerOf(page: Page): Promise<{ setup: string; response: string }> {
  return await page.evaluate(async () => {
    // deno-lint-ignore no-explicit-any -- it runs in the page
    const { document, navigator, PublicKeyCredential } = globalThis as any;
    const form = document.querySelector("form[data-passkey]");
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(form.dataset.options));
    const credential = await navigator.credentials.get({ publicKey });
    return { setup: form.elements.setup.value, response: JSON.stringify(credential.toJSON()) };
  });
}

async function post(
  origin: string,
  fields: Record<string, string>,
): Promise<{ location: string; signedIn: boolean }> {
  const response = await fetch(`${origin}/sign-in/passkey/`, {
    method: "POST",
    redirect: "manual",
    body: new URLSearchParams({ next: "/profile/", ...fields }),
  });
  await response.body?.cancel();
  const signedIn = response.headers.getSetCookie().some((one) => one.startsWith("certmgr_session="));
  return { location: response.headers.get("location") ?? "", signedIn };
}

async function failures({ service: { database } }: Site): Promise<string[]> {
  const rows = await database.all<{ detail: string }>(
    sql`SELECT detail FROM audit_events WHERE event = 'sign_in_failed' AND detail LIKE '%passkey%' ORDER BY id`,
  );
  return rows.map(({ detail }) => detail);
}

walk("a passkey is added, signs in after the password and alone, and is removed", {}, async (walked) => {
  const { page, site } = walked;
  await addAuthenticator(page);
  const codes = await addPasskey(walked);
  assert.equal(codes.length, 10);
  await shots(page, "recovery-codes");
  await page.getByRole("button", { name: "I have stored them" })
    .click();
  await page.getByRole("cell", { name: "Laptop", exact: true }).waitFor();
  await assertAccessible(page, "security");
  await shots(page, "security");

  await signOut(walked);
  await enterPassword(page);
  await arrive(page, "/sign-in/second-step/");
  await assertAccessible(page, "second step");
  assert.deepEqual(await horizontalOverflow(page), []);
  await shots(page, "second-step");
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await arrive(page, "/profile/");

  await signOut(walked);
  await shots(page, "sign-in-passkey");
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await arrive(page, "/profile/");
  assert.match(await page.locator("main").innerText(), /Signed in as chief/);

  await page.goto(`${localhost(site)}/profile/security/`);
  await page.getByRole("link", { name: "Remove Laptop" }).click();
  await page.getByLabel("Current password").fill(PASSWORD);
  await page.getByRole("button", { name: "Remove passkey" }).click();
  await page.getByText("No passkeys yet.").waitFor();

  await signOut(walked);
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.getByRole("alert").getByText("The passkey was not accepted.").waitFor();
  await enterPassword(page);
  await arrive(page, "/profile/");
});

walk("a response of a passkey works once, only for this origin and its own challenge", {}, async (walked) => {
  const { page, site } = walked;
  await addAuthenticator(page);
  await addPasskey(walked);
  await signOut(walked);
  const answer = await answerOf(page);
  // The same service under another name, like a phishing site that relays the response.
  assert.equal((await post(site.origin, answer)).signedIn, false);
  // The challenge of another page.
  await page.reload();
  const setup = await page.locator("form[data-passkey] input[name=setup]").inputValue();
  assert.equal((await post(localhost(site), { ...answer, setup })).signedIn, false);
  assert.equal(
    (await post(localhost(site), { ...answer, setup: `${answer.setup.slice(0, -2)}AA` })).signedIn,
    false,
  );
  const changed = JSON.parse(answer.response);
  changed.response.signature = changed.response.signature.replace(/^.{8}/, "MEUCIQCA");
  assert.equal(
    (await post(localhost(site), { ...answer, response: JSON.stringify(changed) })).signedIn,
    false,
  );
  for (const response of ["", "null", `{"id":"${changed.id}"}`, "x".repeat(30_000)]) {
    assert.equal(
      (await post(localhost(site), { ...answer, response })).signedIn,
      false,
      response.slice(0, 20),
    );
  }
  assert.deepEqual(await post(localhost(site), answer), { location: "/profile/", signedIn: true });
  assert.equal((await post(localhost(site), answer)).signedIn, false);
  const [origin, challenge] = await failures(site);
  assert.match(origin as string, /^passkey: .*origin/);
  assert.match(challenge as string, /^passkey: .*challenge/);
});

walk("a counter that decreases is refused, because the passkey may have been copied", {}, async (walked) => {
  const { page, site } = walked;
  const { cdp, authenticatorId } = await addAuthenticator(page);
  await addPasskey(walked);
  const { credentials: [credential] } = await cdp.send("WebAuthn.getCredentials", { authenticatorId });
  assert.ok(credential !== undefined);
  await site.service.database.write((tx) =>
    tx.run(sql`UPDATE passkeys SET sign_count = ${credential.signCount + 5}`)
  );
  await signOut(walked);
  const refused = await post(localhost(site), await answerOf(page));
  assert.equal(refused.signedIn, false);
  assert.match((await failures(site)).at(-1) as string, /counter/);
  await cdp.send("WebAuthn.removeCredential", { authenticatorId, credentialId: credential.credentialId });
  await cdp.send("WebAuthn.addCredential", {
    authenticatorId,
    credential: { ...credential, signCount: credential.signCount + 5 },
  });
  await page.reload();
  assert.equal((await post(localhost(site), await answerOf(page))).signedIn, true);
});

walk(
  "another user's passkey is not accepted as a second factor, nor an inactive user's for sign-in",
  {},
  async (walked) => {
    const { page, site } = walked;
    await addAuthenticator(page);
    await addPasskey(walked);
    const other = { ...CHIEF, username: "other" };
    const [owner, id] = [await site.userOf(CHIEF), await site.userOf(other)];
    const { database } = site.service;
    await database.write((tx) => tx.run(sql`UPDATE passkeys SET user_id = ${id}`));
    await signOut(walked);
    const moved = await answerOf(page);
    assert.equal((await post(localhost(site), moved)).signedIn, false);
    assert.match((await failures(site)).at(-1) as string, /another user/);
    await database.write((tx) => tx.run(sql`UPDATE passkeys SET user_id = ${owner}`));
    await database.write((tx) => tx.run(sql`UPDATE users SET is_active = 0 WHERE id = ${owner}`));
    await page.reload();
    assert.equal((await post(localhost(site), await answerOf(page))).signedIn, false);
  },
);

walk(
  "an authenticator without PIN or fingerprint cannot be added, and the page says so",
  {},
  async (walked) => {
    const { page, site } = walked;
    const { cdp, authenticatorId } = await addAuthenticator(page);
    await cdp.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
    await site.withPassword(CHIEF);
    await page.goto(`${localhost(site)}/sign-in/?next=/profile/security/passkeys/new/`);
    await enterPassword(page);
    await arrive(page, "/profile/security/passkeys/new/");
    await page.getByLabel("Name").fill("Key");
    await page.getByLabel("Current password").fill(PASSWORD);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Create passkey" }).click();
    await page.getByRole("alert").getByText("No passkey was used.").waitFor();
    await cdp.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: true });
    await page.getByRole("button", { name: "Create passkey" }).click();
    await page.getByRole("heading", { name: "Recovery codes" }).waitFor();
  },
);

walk("pages offer no passkeys if the service's URL has an IP address", {}, async ({ page, site, go }) => {
  await site.withPassword(CHIEF);
  await go("/sign-in/?next=/profile/security/");
  assert.equal(await page.locator("form[data-passkey]").count(), 0);
  await enterPassword(page);
  await page.getByText("Passkeys need https and a host name.").waitFor();
});

walk("without scripts an authenticator app is set up with the keyboard alone, and signs in", {
  scripts: false,
}, async ({ page, site, go }) => {
  await site.withPassword(CHIEF);
  await go("/sign-in/?next=/profile/security/app/");
  await enterPassword(page);
  await page.getByLabel("Current password").fill(PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByAltText("QR code with the key below").waitFor();
  await shots(page, "app");
  const key = (await page.getByLabel("Key", { exact: true }).innerText()).replaceAll(" ", "");
  await page.getByLabel("Code", { exact: false }).last().fill(codeAt(site.service, key));
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Recovery codes" }).waitFor();
  site.service.clock.advance(30_000);
  await page.context().clearCookies();
  await go("/sign-in/?next=/profile/");
  await enterPassword(page);
  await arrive(page, "/sign-in/second-step/");
  // The browser moves the focus to the field some time after loading the page.
  await page.getByLabel("Code", { exact: false }).and(page.locator(":focus")).waitFor();
  await page.keyboard.type(codeAt(site.service, key));
  await page.keyboard.press("Enter");
  await arrive(page, "/profile/");
});
