/** A tenant's certificate, and Mallory, who has an endpoint on a device of another tenant. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { probeBySockets } from "../../../src/probe/probe_by_sockets.ts";
import { type Actor, granted, type GrantSpec } from "../../support/actors.ts";
import type { Client } from "../../support/app.ts";
import type { TestCertificate } from "../../support/test_ca/mod.ts";
import type { TlsServer } from "../../support/tls_servers.ts";
import { type Site, startSite } from "./support.ts";

export const HOST = "www.victim.example";
export const DEVICE = "mallorys-device";
export type Body = Record<string, unknown>;

export const MALLORYS = ["dcim.device", "certmgr.endpoint", "tenancy.tenant", "certmgr.observation"];
/** Rights with which a tenant works on what its devices use, by constraints through assignments. */
export const OWN_DEVICES: readonly GrantSpec[] = [
  { types: MALLORYS, actions: ["view", "add", "change", "probe", "push_observations"] },
  {
    types: ["certmgr.certificate"],
    actions: ["view", "change", "acknowledge"],
    constraints: { device__name: DEVICE },
  },
  { types: ["certmgr.certificateassignment"], actions: ["view", "add"] },
];
export const MALLORY = granted(OWN_DEVICES, { username: "mallory" });

export interface Scene extends AsyncDisposable {
  readonly site: Site;
  readonly mallory: Client;
  readonly leaf: TestCertificate;
  readonly certificate: number;
  readonly device: number;
  /** The contact of the device. */
  readonly contact: number;
  /** The server that listens at all addresses. */
  server: TlsServer | undefined;
  /** Returns everything that an observation could change for anybody but the endpoint. */
  readonly snapshot: () => Promise<unknown>;
}

/** Starts a site with a certificate of a tenant, and a device with a contact and an actor. */
export async function startScene(
  { tenant = { slug: "acme" }, deviceTenant = null, actor = MALLORY, notAfter }: {
    tenant?: Body | null;
    deviceTenant?: Body | null;
    actor?: Actor;
    /** Expiry of the certificate. */
    notAfter?: number;
  } = {},
): Promise<Scene> {
  const probing = { allowedNetworks: ["127.0.0.0/8"], concurrency: 8, retentionDays: 400 };
  const site = await startSite({
    settings: { probing: { ...probing, discover: "create" } },
    probe: async ({ port: _, ...target }, options) => {
      const { address, port } = scene.server as TlsServer;
      return await probeBySockets({ ...target, port }, {
        ...options,
        resolve: () => Promise.resolve([address]),
      });
    },
  });
  const { ask, admin, app } = site;
  const leaf = await site.ca.issue({
    cn: HOST,
    key: "p256",
    ...(notAfter === undefined ? {} : { notAfter }),
  });
  const { id } = await ask("certificates/", { pem_content: leaf.pem, issuer_chain: site.ca.pem, tenant });
  const post = async (path: string, body: unknown): Promise<number> => {
    const response = await admin(`/api/${path}`, { method: "POST", body });
    const created = await response.json();
    assert.equal(response.status, 201, JSON.stringify(created));
    return created.id;
  };
  const device = await post("dcim/devices/", { name: DEVICE, tenant: deviceTenant });
  const contact = await post("tenancy/contacts/", { name: "Mallory", email: "mallory@evil.example" });
  await post("tenancy/contact-assignments/", { object_type: "dcim.device", object_id: device, contact });
  const mallory = await app.as(actor);
  const listed = async (client: Client, path: string): Promise<unknown> =>
    (await (await client(`/api/plugins/certmgr/${path}`)).json()).results;
  const scene: Scene = {
    site,
    mallory,
    leaf,
    certificate: id as number,
    device,
    contact,
    server: undefined,
    snapshot: async () => ({
      certificate: await ask(`certificates/${id}/`),
      all: await listed(admin, "certificates/?limit=1000"),
      assignments: await listed(admin, "assignments/?limit=1000"),
      mallorys: await listed(mallory, "certificates/"),
      served: await app.database.all(sql`SELECT id FROM endpoints WHERE certificate_id = ${id}`),
      changes: await app.database.all(
        sql`SELECT id FROM object_changes WHERE object_type LIKE 'certmgr.certificate%'`,
      ),
    }),
    [Symbol.asyncDispose]: () => site[Symbol.asyncDispose](),
  };
  return scene;
}

/** Sends a request as Mallory and returns the body; fails for another status. */
export async function asMallory(
  { mallory }: Scene,
  path: string,
  body: Body,
  method = "POST",
): Promise<Body> {
  const response = await mallory(`/api/plugins/certmgr/${path}`, { method, body });
  const answer = await response.json();
  assert.ok(response.ok, JSON.stringify(answer));
  return answer;
}

/** Creates Mallory's endpoint on her device, and probes it. Returns the result. */
export async function probeAsMallory(scene: Scene, fields: Body = {}): Promise<Body> {
  const assigned = { assigned_object_type: "dcim.device", assigned_object_id: scene.device };
  const { id } = await asMallory(scene, "endpoints/", { host: HOST, ...assigned, ...fields });
  return await asMallory(scene, `endpoints/${id}/probe/`, {});
}

/** An agent's report about Mallory's endpoint, as `certmgr agent` sends it. */
export async function report(scene: Scene, body: Body, at = "2026-06-15T12:00:00Z"): Promise<Body> {
  const observation = { host: HOST, address: "10.0.0.5", at, ...body };
  return await asMallory(scene, "observations/push/", { agent: "evil", observations: [observation] });
}

/** Creates Mallory's endpoint on her device without a probe. */
export async function createEndpoint(scene: Scene): Promise<void> {
  const assigned = { assigned_object_type: "dcim.device", assigned_object_id: scene.device };
  await asMallory(scene, "endpoints/", { host: HOST, ...assigned });
}
