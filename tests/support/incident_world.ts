/**
 * An intermediate whose certificates have to be replaced: 500 of them, in 6 tenants and of 20 owners. Half of them are
 * served by TLS servers on this machine, which the application probes.
 */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { probeBySockets } from "../../src/probe/probe_by_sockets.ts";
import type { TestApp, TestAppOptions } from "./app.ts";
import { callJson } from "./call_json.ts";
import { testContext } from "./context.ts";
import { TestCa, type TestCertificate, testKey } from "./test_ca/mod.ts";
import { inProcessServer, type TlsServer } from "./tls_servers.ts";

export const [COUNT, TENANTS, OWNERS] = [500, 6, 20];
export const ISSUER = "C=DE, O=Broken Trust, CN=Broken Intermediate";
const API = "/api/plugins/certmgr/";
/** Number of probes at the same time. */
const AT_ONCE = 8;

/** Options of an application that probes servers on this machine, whatever their name is. */
export function probingLocally(): TestAppOptions {
  const { settings } = testContext({} as Parameters<typeof testContext>[0]);
  return {
    settings: { probing: { ...settings.probing, allowedNetworks: ["127.0.0.0/8"] } },
    probe: (target, options) =>
      probeBySockets(target, { ...options, resolve: () => Promise.resolve(["127.0.0.1"]) }),
  };
}

/** The certificates, by their number. */
export interface IncidentWorld extends AsyncDisposable {
  readonly leaves: readonly TestCertificate[];
  /** Ids of the certificates. */
  readonly ids: readonly number[];
  /** Issues the successor of a certificate by another authority. */
  successor(n: number): Promise<TestCertificate>;
  /** Lets the servers of hosts present these certificates from now on, and probes them. */
  serve(leaves: ReadonlyMap<number, TestCertificate>): Promise<void>;
}

export function hostOf(n: number): string {
  return `host-${n}.example`;
}

/** Makes tenants, owners, certificates and the servers of every second one; closes the incidents that exist. */
export async function incidentWorld(app: TestApp): Promise<IncidentWorld> {
  const key = await testKey("p256", "incident");
  const root = await TestCa.root({ subject: "C=DE, O=Broken Trust, CN=Broken Root" });
  const broken = await root.intermediate({ subject: ISSUER });
  const good = await root.intermediate({ subject: "C=DE, O=Good Trust, CN=Good CA" });
  const issue = (ca: TestCa, n: number, more: { notAfter?: string } = {}): Promise<TestCertificate> =>
    ca.issue({
      cn: hostOf(n),
      key,
      serial: (BigInt(n + 1) << 120n) + (ca === broken ? 0xabcdefn : 0xfedcban),
      ...more,
    });
  await app.database.write((tx) => tx.run(sql`UPDATE incidents SET status = 'closed'`));
  const client = await app.as("superuser");
  const post = (path: string, body: unknown) => callJson(client, path, "POST", body);
  const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);
  for (const [name, { pem }] of Object.entries({ "Broken Root": root, Broken: broken, Good: good })) {
    await post(`${API}certificate-authorities/`, { name, type: "internal", pem_content: pem });
  }
  await post(
    "/api/tenancy/tenants/",
    numbers(TENANTS).map((n) => ({ name: `Tenant ${n}`, slug: `tenant-${n}` })),
  );
  const contacts = await post(
    "/api/tenancy/contacts/",
    numbers(OWNERS).map((n) => ({ name: `Owner ${n}`, email: `owner-${n}@acme.example` })),
  );
  const leaves = await Promise.all(numbers(COUNT).map((n) => issue(broken, n)));
  const stored = await post(
    `${API}certificates/`,
    leaves.map(({ pem }, n) => ({ pem_content: pem, tenant: { slug: `tenant-${n % TENANTS}` } })),
  );
  const ids = stored.map(({ id }: { id: number }) => id);
  await post(
    "/api/tenancy/contact-assignments/",
    ids.map((id: number, n: number) => ({
      object_type: "certmgr.certificate",
      object_id: id,
      contact: contacts[n % OWNERS].id,
      role: { slug: "owner" },
    })),
  );
  const servers = new Map<number, { readonly server: TlsServer; readonly endpoint: number }>();
  const world: IncidentWorld = {
    leaves,
    ids,
    successor: (n) => issue(good, n, { notAfter: "2027-03-31" }),
    async serve(given): Promise<void> {
      const started = new Map<number, TlsServer>();
      for (const [n, leaf] of given) {
        const known = servers.get(n);
        await known?.server[Symbol.asyncDispose]();
        started.set(n, inProcessServer({ leaf, chain: [], ...known && { port: known.server.port } }));
      }
      const fresh = [...started].filter(([n]) => !servers.has(n));
      const endpoints = fresh.length === 0 ? [] : await post(
        `${API}endpoints/`,
        fresh.map(([n, { port }]) => ({ host: hostOf(n), port })),
      );
      for (const [n, server] of started) {
        const endpoint = servers.get(n)?.endpoint ?? endpoints[fresh.findIndex(([one]) => one === n)].id;
        servers.set(n, { server, endpoint });
      }
      const waiting = [...given.keys()];
      await Promise.all(
        numbers(AT_ONCE).map(async () => {
          for (let n = waiting.pop(); n !== undefined; n = waiting.pop()) {
            const { certificate, state } = await post(
              `${API}endpoints/${servers.get(n)?.endpoint}/probe/`,
              {},
            );
            assert.equal(certificate?.display.startsWith(hostOf(n)), true, `${hostOf(n)} ${state}`);
          }
        }),
      );
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await Promise.all([...servers.values()].map(({ server }) => server[Symbol.asyncDispose]()));
    },
  };
  await world.serve(
    new Map(numbers(COUNT).filter((n) => n % 2 === 0).map((n) => [n, leaves[n] as TestCertificate])),
  );
  return world;
}
