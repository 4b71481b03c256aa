/** The mail that a real mail server receives after somebody presents a certificate, without its key and with it. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { DAY_MS } from "../../../src/base/clock.ts";
import { NOTICE_EVENT_NAMES } from "../../../src/domain/notices/mod.ts";
import { smtpSender } from "../../../src/mail/smtp.ts";
import { granted, type GrantSpec } from "../../support/actors.ts";
import { keylessServer, strangersKey } from "../../support/keyless_server.ts";
import { TEST_NOW, type TestKey } from "../../support/test_ca/mod.ts";
import { mailServer } from "../notices/mail_server.ts";
import { runAndSend } from "../notices/run_and_send.ts";
import {
  type Body,
  createEndpoint,
  HOST,
  MALLORY,
  OWN_DEVICES,
  probeAsMallory,
  report,
  type Scene,
  startScene,
} from "./mallory.ts";

const ANN = granted([{
  types: ["certmgr.certificate"],
  actions: ["view", "acknowledge"],
  constraints: { tenant__slug: "acme" },
}], { username: "ann" });

/** Starts a scene in which an administrator, Ann of the tenant, and Mallory are notified of every event. */
async function startNotified(deviceTenant: Body | null, actor = MALLORY): Promise<Scene> {
  const scene = await startScene({ deviceTenant, actor, notAfter: TEST_NOW + 13 * DAY_MS + 1_000 });
  const { admin, app, ask } = scene.site;
  await app.as(ANN);
  await app.database.write((tx) => tx.run(sql`UPDATE users SET email = username || '@users.example'`));
  const { id: channel } = await ask("notification-channels/", {
    name: "To all",
    kind: "email",
  });
  for (const username of ["chief", "ann", "mallory"]) {
    const { results: [user] } = await (await admin(`/api/users/users/?username=${username}`)).json();
    const recipients = username === "chief" ? ["owner"] : [`${username}@users.example`];
    const shared = {
      name: "All",
      events: NOTICE_EVENT_NAMES,
      mode: "immediate",
      thresholds: ["12d"],
    };
    await ask("subscriptions/", {
      ...shared,
      user: user.id,
      channel,
      recipients,
    });
  }
  // Changes until now are no news.
  await runAndSend(app, { mail: () => Promise.resolve("") });
  return scene;
}

/** Sends what is due two days later, and returns recipients, subjects and texts without what is random. */
async function mails({ site: { app } }: Scene): Promise<string[]> {
  await using server = await mailServer({});
  app.clock.advance(2 * DAY_MS);
  await runAndSend(app, {
    mail: smtpSender(server.settings, { ca: server.ca }),
  });
  return server.received.map(({ envelopeTo, subject, text }) =>
    `${envelopeTo}: ${subject}\n${text.replace(/Serial number: .*/, "").replace(/link=\S+/, "link=")}`
  ).sort();
}

/** Presents the certificate at Mallory's endpoint, signed by a key. */
async function present(scene: Scene, key: TestKey | undefined): Promise<void> {
  const { leaf, site: { ca } } = scene;
  await using server = scene.server = keylessServer({
    chain: [leaf, ca],
    version: "TLS 1.3",
    key,
  });
  assert.ok(server.port > 0);
  await probeAsMallory(scene);
}

/** How Mallory presents the certificate without its key. */
const ATTACKS: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
  "a server that signs with another key": async (scene) => await present(scene, await strangersKey()),
  "a server that does not sign": (scene) => present(scene, undefined),
  "an agent's report": async (scene) => {
    await createEndpoint(scene);
    const { leaf, site: { ca } } = scene;
    await report(scene, {
      presented: [leaf.pem, ca.pem],
      possession: "unproven",
    });
  },
};

for (const [what, attack] of Object.entries(ATTACKS)) {
  for (const deviceTenant of [null, { slug: "globex" }]) {
    Deno.test(`${what} causes no mail about the certificate: device of ${deviceTenant?.slug ?? "no tenant"}`, async () => {
      await using quiet = await startNotified(deviceTenant);
      await createEndpoint(quiet);
      await using scene = await startNotified(deviceTenant);
      await attack(scene);
      const received = await mails(scene);
      const ownEndpoint = /^mallory@users\.example: Endpoint /;
      assert.deepEqual(
        received.filter((mail) => !ownEndpoint.test(mail)),
        await mails(quiet),
      );
      assert.ok(
        received.some((mail) => mail.startsWith(`ann@users.example: ${HOST} expires in 11 days`)),
      );
      const others = received.filter((mail) => !mail.startsWith("ann@"));
      assert.doesNotMatch(others.join(), /expires|Serial|respond/);
    });
  }
}

Deno.test("with the key and the rights, the device's contact and its users get the reminder with its link", async () => {
  const view: GrantSpec = {
    types: ["certmgr.certificate"],
    actions: ["view"],
    constraints: { tenant__slug: "acme" },
  };
  const actor = granted([...OWN_DEVICES, view], { username: "mallory" });
  await using scene = await startNotified({ slug: "acme" }, actor);
  await present(scene, scene.leaf.key);
  const received = await mails(scene);
  for (
    const recipient of [
      "ann@users.example",
      "mallory@users.example",
      "mallory@evil.example",
    ]
  ) {
    const own = received.filter((mail) => mail.startsWith(`${recipient}: ${HOST} expires in 11 days`));
    assert.equal(own.length, 1, recipient);
    assert.match(own[0] as string, /\/notices\/respond\/\?link=/);
  }
});
