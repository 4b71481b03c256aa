/**
 * A certificate at an endpoint counts only if the server proves that it has the key: a server without it, directly or by
 * an agent's report, changes nothing for the certificate.
 */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { observationOf } from "../../../src/cli/observation_report.ts";
import type { ProbeAnswer } from "../../../src/probe/mod.ts";
import { probeBySockets } from "../../../src/probe/probe_by_sockets.ts";
import { type Actor, granted, type GrantSpec } from "../../support/actors.ts";
import { keylessServer, strangersKey } from "../../support/keyless_server.ts";
import {
  type Body,
  createEndpoint,
  DEVICE,
  HOST,
  MALLORY,
  MALLORYS,
  OWN_DEVICES,
  probeAsMallory,
  report,
  startScene,
} from "./mallory.ts";

/** Tenants of the certificate and of the device. */
const TENANTS: readonly (readonly [Body | null, Body | null])[] = [
  [{ slug: "acme" }, null],
  [null, { slug: "globex" }],
  [null, null],
];

for (const version of ["TLS 1.2", "TLS 1.3"] as const) {
  for (const [tenant, deviceTenant] of TENANTS) {
    const whose = [tenant, deviceTenant].map((one) => one?.slug ?? "no tenant");
    Deno.test(`a server without the key (${version}) changes nothing: certificate of ${whose[0]}, device of ${whose[1]}`, async () => {
      for (const key of [await strangersKey(), undefined]) {
        await using scene = await startScene({ tenant, deviceTenant });
        const { leaf, site: { ca, root } } = scene;
        await using server = scene.server = keylessServer({ chain: [leaf, ca, root], version, key });
        assert.ok(server.port > 0);
        const before = await scene.snapshot();
        const endpoint = await probeAsMallory(scene);
        assert.equal(endpoint.state, "tls_error");
        assert.equal(endpoint.possession, "unproven");
        const observation = endpoint.observation as Body;
        assert.deepEqual([observation.possession, observation.state], ["unproven", "tls_error"]);
        assert.deepEqual(await scene.snapshot(), before);
      }
    });
  }
}

Deno.test("with the key and the rights, the certificate is assigned, automatically, and its contact is the owner", async () => {
  for (const version of ["TLS 1.2", "TLS 1.3"] as const) {
    await using scene = await startScene({
      deviceTenant: { slug: "acme" },
      actor: { ...MALLORY, superuser: true },
    });
    const { leaf, site: { ca, ask } } = scene;
    await using server = scene.server = keylessServer({ chain: [leaf, ca], version, key: leaf.key });
    assert.ok(server.port > 0);
    const endpoint = await probeAsMallory(scene);
    assert.deepEqual([endpoint.state, endpoint.possession], ["ok", "proven"]);
    const { results } = await ask(`assignments/?certificate_id=${scene.certificate}`);
    const [assignment, ...rest] = results as Body[];
    assert.deepEqual([assignment?.automatic, assignment?.assigned_object_id, rest], [true, scene.device, []]);
    const { owner, endpoint_count } = await ask(`certificates/${scene.certificate}/`);
    assert.deepEqual([((owner as Body).contact as Body).name, endpoint_count], ["Mallory", 1]);
  }
});

/** Rights with which Mallory's agent may only report about her endpoints, and view nothing of others. */
const OWN_ENDPOINTS = granted(
  OWN_DEVICES.flatMap((grant): GrantSpec[] =>
    grant.types === MALLORYS
      ? [
        { types: MALLORYS.filter((type) => type !== "certmgr.endpoint"), actions: grant.actions },
        { types: ["certmgr.endpoint"], actions: grant.actions, constraints: { host: HOST } },
      ]
      : [grant]
  ),
  { username: "mallory" },
);

for (
  const [what, actor, claims] of [
    ["an agent that probed a server without the key", MALLORY, { possession: "unproven" }],
    ["an agent that says nothing about the key", MALLORY, {}],
    ["an agent that lies, and may not view the certificate", OWN_ENDPOINTS, { possession: "proven" }],
  ] as const
) {
  for (const [tenant, deviceTenant] of TENANTS) {
    Deno.test(`a report of ${what} changes nothing: certificate of ${tenant?.slug}, device of ${deviceTenant?.slug}`, async () => {
      await using scene = await startScene({ tenant, deviceTenant, actor });
      const { leaf, site: { ca, ask } } = scene;
      await createEndpoint(scene);
      const before = await scene.snapshot();
      const { created } = await report(scene, { presented: [leaf.pem, ca.pem], ...claims });
      assert.equal(created, 1);
      assert.deepEqual(await scene.snapshot(), before);
      const [endpoint] = (await ask(`endpoints/?host=${HOST}`)).results as Body[];
      assert.equal(endpoint?.possession, "unproven");
    });
  }
}

Deno.test("an agent of the service reports what it probed, with the proof and why clients reject the handshake", async () => {
  await using scene = await startScene({
    actor: { ...MALLORY, superuser: true },
    deviceTenant: { slug: "acme" },
  });
  const { leaf, site: { ca, ask } } = scene;
  await createEndpoint(scene);
  for (
    const [minute, key, possession, state] of [
      [0, await strangersKey(), "unproven", "tls_error"],
      [1, leaf.key, "proven", "ok"],
    ] as const
  ) {
    await using server = keylessServer({ chain: [leaf, ca], version: "TLS 1.3", key });
    const target = { host: server.address, port: server.port, serverName: HOST, protocol: "tls" } as const;
    const [answer] = await probeBySockets(target, { allowedNetworks: ["127.0.0.0/8"] });
    await report(scene, observationOf(answer as ProbeAnswer), `2026-06-15T11:0${minute}:00Z`);
    const [endpoint] = (await ask(`endpoints/?host=${HOST}`)).results as Body[];
    assert.deepEqual([endpoint?.possession, endpoint?.state], [possession, state]);
    const { count } = await ask(`assignments/?certificate_id=${scene.certificate}`);
    assert.equal(count, minute);
  }
});

/** Certificates that a proven server presents, and the rights of the endpoint's last editor. */
const RIGHTS: readonly (readonly [string, GrantSpec[], assigned: number])[] = [
  ["to view the certificate and to add assignments", [], 1],
  ["to add assignments of this device", [
    { types: ["certmgr.certificateassignment"], actions: ["add"], constraints: { device__name: DEVICE } },
  ], 1],
  ["to add assignments of another device", [
    { types: ["certmgr.certificateassignment"], actions: ["add"], constraints: { device__name: "other" } },
  ], 0],
  ["to add assignments that are primary", [
    { types: ["certmgr.certificateassignment"], actions: ["add"], constraints: { is_primary: true } },
  ], 0],
  ["to view assignments only", [{ types: ["certmgr.certificateassignment"], actions: ["view"] }], 0],
  ["to view certificates of Globex only", [
    { types: ["certmgr.certificateassignment"], actions: ["add"] },
    { types: ["certmgr.certificate"], actions: ["view"], constraints: { tenant__slug: "globex" } },
  ], 0],
];
for (const [what, grants, assigned] of RIGHTS) {
  for (const by of ["a probe", "an agent"]) {
    Deno.test(`a served certificate is assigned ${assigned} times by ${by} if the last editor has the right ${what}`, async () => {
      const others: GrantSpec[] = grants.some(({ types }) => types.includes("certmgr.certificate"))
        ? []
        : [{ types: ["certmgr.certificate"], actions: ["view"] }];
      const add: GrantSpec[] = grants.length > 0
        ? []
        : [{ types: ["certmgr.certificateassignment"], actions: ["add"] }];
      const all = [OWN_DEVICES[0] as GrantSpec, ...grants, ...others, ...add];
      const actor = granted(all, { username: "editor" });
      await using scene = await startScene({ actor, deviceTenant: { slug: "acme" } });
      const { leaf, site: { ca, ask } } = scene;
      await using server = scene.server = keylessServer({
        chain: [leaf, ca],
        version: "TLS 1.3",
        key: leaf.key,
      });
      assert.ok(server.port > 0);
      if (by === "a probe") {
        const { id } = await probeAsMallory(scene);
        assert.equal((await ask(`endpoints/${id}/`)).state, "ok");
      } else {
        await createEndpoint(scene);
        await report(scene, { presented: [leaf.pem, ca.pem], possession: "proven" });
      }
      const { count } = await ask(`assignments/?certificate_id=${scene.certificate}`);
      assert.equal(count, assigned);
    });
  }
}

Deno.test("the rights are those of the last editor of the address or the object, not of who edits the rest or probes", async () => {
  const weak = granted([OWN_DEVICES[0] as GrantSpec], { username: "weak" });
  await using scene = await startScene({ actor: weak, deviceTenant: { slug: "acme" } });
  const { leaf, site: { ca, ask, servers: _ } } = scene;
  await using server = scene.server = keylessServer({ chain: [leaf, ca], version: "TLS 1.3", key: leaf.key });
  assert.ok(server.port > 0);
  const { id } = await probeAsMallory(scene);
  const count = async (): Promise<unknown> =>
    (await ask(`assignments/?certificate_id=${scene.certificate}`)).count;
  await ask(`endpoints/${id}/`, { interval_minutes: 30 }, "PATCH");
  await ask(`endpoints/${id}/probe/`, {});
  assert.equal(await count(), 0);
  await scene.site.app.database.write((tx) => tx.run(sql`UPDATE endpoints SET certificate_id = NULL`));
  await ask(`endpoints/${id}/`, { host: "x.example" }, "PATCH");
  await ask(`endpoints/${id}/`, { host: HOST }, "PATCH");
  await ask(`endpoints/${id}/probe/`, {});
  assert.equal(await count(), 1);
});

Deno.test("constraints and owners do not follow an automatic assignment to an object that the certificate's tenant does not own", async () => {
  for (
    const [tenant, deviceTenant, followed] of [
      [{ slug: "acme" }, null, false],
      [null, { slug: "globex" }, false],
      [{ slug: "acme" }, { slug: "acme" }, true],
      [null, null, true],
    ] as const
  ) {
    await using scene = await startScene({ tenant, deviceTenant });
    const { leaf, certificate, mallory, device, site: { ca, ask } } = scene;
    await using server = scene.server = keylessServer({
      chain: [leaf, ca],
      version: "TLS 1.3",
      key: leaf.key,
    });
    assert.ok(server.port > 0);
    const object = { assigned_object_type: "dcim.device", assigned_object_id: device };
    const { id } = await ask("endpoints/", { host: HOST, ...object });
    await ask(`endpoints/${id}/probe/`, {});
    const { results } = await ask(`assignments/?certificate_id=${certificate}`);
    const [assignment] = results as Body[];
    assert.equal(assignment?.automatic, true);
    const seen = async (): Promise<readonly unknown[]> => {
      const { owner } = await ask(`certificates/${certificate}/`);
      const { count } = await ask(`certificates/?owner=${scene.contact}`);
      const owned = (await ask("certificates/?has_owner=true&limit=1000")).results as Body[];
      const isOwned = owned.some(({ id }) => id === certificate);
      assert.equal(isOwned, owner !== null);
      const { status } = await mallory(`/api/plugins/certmgr/certificates/${certificate}/`);
      return [(owner as { contact: Body } | null)?.contact.name === "Mallory", count, status];
    };
    assert.deepEqual(await seen(), followed ? [true, 1, 200] : [false, 0, 404]);
    assert.equal((await ask(`certificates/?device_id=${device}`)).count, 1);
    // Someone who may do so makes it an ordinary one.
    await ask(`assignments/${assignment?.id}/`, { certificate, ...object }, "PUT");
    assert.equal((await ask(`assignments/${assignment?.id}/`)).automatic, false);
    assert.deepEqual(await seen(), [true, 1, 200]);
  }
});

Deno.test("a certificate with a problem, or found by an agent that may not add certificates, is added as pending", async () => {
  const reporter = granted([{ types: ["certmgr.endpoint"], actions: ["push_observations"] }], {
    username: "r",
  });
  const importer = (constraints: Body | null): Actor =>
    granted([
      { types: ["certmgr.endpoint"], actions: ["push_observations"] },
      { types: ["certmgr.certificate"], actions: ["import"], constraints },
    ], { username: "i" });
  const cases = [
    [reporter, "new.example", {}, "pending"],
    [importer(null), "new.example", {}, "active"],
    [importer(null), "new.example", { possession: "unproven" }, "pending"],
    [importer(null), "new.example", { error: "The server does not sign the handshake." }, "pending"],
    [importer(null), "other.example", {}, "pending"],
    [importer({ tenant__slug: "acme" }), "new.example", {}, undefined],
    [importer({ status: "active" }), "new.example", {}, "active"],
    [importer({ status: "active" }), "other.example", {}, undefined],
  ] as const;
  for (const [actor, host, more, status] of cases) {
    await using scene = await startScene({ actor });
    const { site: { ca, ask } } = scene;
    const leaf = await ca.issue({ cn: "new.example" });
    await report(scene, { host, presented: [leaf.pem, ca.pem], possession: "proven", ...more });
    const [found] = (await ask("certificates/?common_name=new.example")).results as Body[];
    assert.equal(found?.status, status, JSON.stringify([actor.grants, host, more]));
  }
});
