/**
 * Endpoints of the demo in every state, as an agent would report them, because the hosts do not exist; and a scan job
 * that has found some.
 */

import { sql } from "drizzle-orm";
import type { Context } from "../src/auth/mod.ts";
import { DAY_MS, type Millis } from "../src/base/clock.ts";
import { issuerChainSql, pemTextSql, readPemText } from "../src/domain/certificates/mod.ts";
import { endpoints, scanJobs } from "../src/domain/endpoints/mod.ts";
import { settleReports } from "../src/domain/endpoints/probing/settle.ts";
import { storeHits } from "../src/domain/endpoints/scanning/run_scan_jobs.ts";
import { idsIn } from "../src/db/mod.ts";
import type { ProbeAnswer } from "../src/probe/mod.ts";
import { createObject, createObjects } from "../src/resource/mod.ts";
import { readCertificates } from "../src/x509/mod.ts";
import { TestCa } from "../tests/support/test_ca/mod.ts";
import type { DemoState } from "./state.ts";

/** Endpoints that serve what they should. */
const GOOD = 24;
/** Endpoints of each kind of trouble. */
const BAD = 3;
/** Minutes between two reports. */
const WEEK_MINUTES = 10_080;
const SOURCE = "agent:demo";
/** The address of most hosts, and the second one of a host with two. */
const FIRST = "198.51.100.10";
const SECOND = "198.51.100.11";
/** The network of the scan job. */
const SCANNED = "10.20.30.0/24";

interface StoredCertificate {
  readonly id: number;
  readonly name: string;
  readonly tenant: number | null;
  readonly pem: string;
  readonly chain: string;
  /** The object that it is assigned to. */
  readonly type: string | null;
  readonly object: number | null;
}

/** An endpoint with its response; without one it has not been probed yet. */
interface Plan {
  readonly host: string;
  readonly port?: number;
  readonly tenant: number | null;
  readonly expected?: number;
  readonly type?: string | null;
  readonly object?: number | null;
  readonly answers?: readonly ProbeAnswer[];
}

/** Makes the endpoints and reports what they serve. */
export async function makeServed(
  { ctx, now, issuers }: Pick<DemoState, "ctx" | "now" | "issuers">,
): Promise<void> {
  const day = now;
  const live = await certificatesOf(
    ctx,
    sql`status = 'active' AND valid_to > ${day + 35 * DAY_MS} AND chain <> ''`,
    GOOD + 6 * BAD,
  );
  const soon = await certificatesOf(
    ctx,
    sql`status = 'active' AND valid_to BETWEEN ${day} AND ${day + 28 * DAY_MS} AND chain_is_valid = 1`,
    BAD,
  );
  const past = await certificatesOf(ctx, sql`valid_to < ${day} AND status <> 'replaced'`, BAD);
  const replaced = await certificatesOf(
    ctx,
    sql`status = 'replaced' AND valid_to > ${day + 1} AND chain <> ''`,
    BAD,
  );
  const successors = await certificatesOf(
    ctx,
    sql`valid_to > ${day} AND id IN (SELECT replaced_by_id FROM certificates WHERE id IN ${
      idsIn(replaced.map(({ id }) => id))
    })`,
    BAD,
  );
  const selfSigned = await certificatesOf(ctx, sql`issuer = subject`, BAD);
  const next = (): StoredCertificate[] => live.splice(0, BAD);
  const [renamed, alone, unexpected, early, silent, refused] = [
    next(),
    next(),
    next(),
    next(),
    next(),
    next(),
  ];
  const plans: Plan[] = [
    ...[...live, ...soon, ...past, ...selfSigned].map((one) => planOf(one)),
    ...replaced.map((one) => ({ ...planOf(one), port: 8443 })),
    await futurePlan(issuers, day),
    await strangerPlan(day),
    ...differingPlan(successors, replaced),
    ...renamed.map((one) => ({ ...planOf(one), host: `new.${one.name}` })),
    ...alone.map((one) => planOf({ ...one, chain: "" })),
    ...unexpected.map((one, index) => ({ ...planOf(one), expected: (live[index] ?? one).id })),
    ...early.map(({ name, tenant }) => ({ host: name, tenant })),
    ...silent.map((one) => ({
      ...planOf(one),
      answers: [failed("unreachable", "The connection was refused.")],
    })),
    ...refused.map((one) => ({
      ...planOf(one),
      answers: [failed("tls_error", "The server refused the handshake (TLS alert 40).")],
    })),
  ];
  const unique = [...new Map(plans.map((plan) => [`${plan.host} ${plan.port}`, plan])).values()];
  if (unique.length === 0) return;
  const objects = await createObjects({
    ctx,
    resource: endpoints,
    input: unique.map(({ host, port = 443, tenant, expected, type = null, object = null }) => ({
      host,
      port,
      tenant,
      interval_minutes: WEEK_MINUTES,
      ...(type === null ? {} : { assigned_object_type: type, assigned_object_id: object }),
      ...(expected === undefined ? {} : { expected_certificate: expected }),
    })),
  });
  await ctx.database.write((tx) => tx.run(sql`UPDATE endpoints SET source = ${SOURCE}, next_probe = NULL`));
  await settleReports(
    ctx,
    unique.flatMap(({ answers }, index) =>
      answers === undefined
        ? []
        : [{ endpointId: objects[index]?.id as number, source: SOURCE, at: now, answers }]
    ),
  );
  await makeScan(ctx, { live, now });
}

async function certificatesOf(
  { database }: Context,
  condition: ReturnType<typeof sql>,
  limit: number,
): Promise<StoredCertificate[]> {
  const rows = await database.all<StoredCertificate>(
    sql`SELECT id, name, tenant, pem, chain, type, object FROM (
          SELECT c.*, c.common_name AS name, c.tenant_id AS tenant, ${pemTextSql("t")} AS pem, ${
      issuerChainSql(sql`c.id`)
    } AS chain,
            a.assigned_object_type AS type, a.assigned_object_id AS object
          FROM certificates AS c JOIN certificate_texts AS t ON t.certificate_id = c.id
            LEFT JOIN certificate_assignments AS a ON a.id =
              (SELECT min(id) FROM certificate_assignments WHERE certificate_id = c.id)
          WHERE c.has_pem = 1
        ) WHERE ${condition} AND name NOT LIKE '*%' AND name LIKE '%.%' ORDER BY id DESC LIMIT ${limit}`,
  );
  return rows.map((row) => ({ ...row, pem: readPemText(row.pem) }));
}

function planOf({ name, tenant, pem, chain, type, object }: StoredCertificate): Plan {
  const certificates = readCertificates(`${pem}\n${chain}`).members.map(({ certificate }) => certificate.der);
  return {
    host: name,
    tenant,
    type,
    object,
    answers: [{
      address: FIRST,
      latencyMs: 18,
      presented: {
        certificates,
        tlsVersion: "TLS 1.3",
        cipher: "TLS_AES_128_GCM_SHA256",
        alpn: "h2",
        ocspStapled: false,
        possession: "proven",
      },
    }],
  };
}

/** A device with a self-signed certificate. */
async function strangerPlan(day: number): Promise<Plan> {
  const host = "printer.aldgate.example";
  const { pem } = await TestCa.root({
    cn: host,
    sans: [host],
    ca: false,
    notBefore: day - 100 * DAY_MS,
    notAfter: day + 900 * DAY_MS,
  });
  return planOf({ id: 0, name: host, tenant: null, pem, chain: "", type: null, object: null });
}

/** A host with two addresses, one of which still serves the certificate from before the last renewal. */
function differingPlan(
  successors: readonly StoredCertificate[],
  replaced: readonly StoredCertificate[],
): Plan[] {
  const old = replaced.find(({ name }) => successors.some((one) => one.name === name));
  const fresh = successors.find(({ name }) => name === old?.name);
  if (old === undefined || fresh === undefined) return [];
  const behind = planOf(old).answers?.map((answer) => ({ ...answer, address: SECOND })) ?? [];
  const plan = planOf(fresh);
  return [{ ...plan, port: 9443, answers: [...plan.answers ?? [], ...behind] }];
}

/** A scan job, disabled because its networks do not exist, and two endpoints that it has found. */
async function makeScan(
  ctx: Context,
  { live, now }: { live: readonly StoredCertificate[]; now: Millis },
): Promise<void> {
  const probing = { ...ctx.settings.probing, allowedNetworks: [SCANNED] };
  const { id } = await createObject({
    ctx: { ...ctx, settings: { ...ctx.settings, probing } },
    resource: scanJobs,
    input: { name: "Warehouse network", networks: [SCANNED], ports: [443, 8443], enabled: false },
  });
  const hits = live.slice(0, 2).flatMap((one, index) =>
    (planOf(one).answers ?? []).map((answer) => {
      const address = `10.20.30.${17 + index}`;
      return { target: { address, port: 8443 }, answer: { ...answer, address } };
    })
  );
  const created = await storeHits(ctx, hits, { tenantId: null });
  const result = { addresses: 512, answered: created, created, known: 0, stopped: false };
  await ctx.database.write((tx) =>
    tx.run(
      sql`UPDATE scan_jobs SET last_run = ${now}, last_result = ${JSON.stringify(result)} WHERE id = ${id}`,
    )
  );
  // These addresses do not exist.
  await ctx.database.write((tx) =>
    tx.run(sql`UPDATE endpoints SET enabled = 0, next_probe = NULL WHERE source = 'scan'`)
  );
}

/** A server whose next certificate was installed too early. */
async function futurePlan(issuers: DemoState["issuers"], day: number): Promise<Plan> {
  const issuer = issuers.get("group");
  if (issuer === undefined) throw new Error("The group's authority is missing");
  const host = "next.aldgate.example";
  const { pem } = await issuer.ca.issue({
    cn: host,
    notBefore: day + 7 * DAY_MS,
    notAfter: day + 90 * DAY_MS,
  });
  return planOf({ id: 0, name: host, tenant: null, pem, chain: issuer.chain, type: null, object: null });
}

function failed(kind: "unreachable" | "tls_error", message: string): ProbeAnswer {
  return { address: FIRST, latencyMs: null, failure: { kind, message } };
}
