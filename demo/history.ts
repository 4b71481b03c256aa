/** Executes the plan day by day with the clock set back, so that change records get the right times. */

import type { Context } from "../src/auth/mod.ts";
import { bulkAssign } from "../src/domain/assignments/mod.ts";
import { bulkValidateChains } from "../src/domain/certificates/chain/validate_certificate.ts";
import { bulkCheckCertificates, storeDailyScore } from "../src/domain/compliance/mod.ts";
import { bulkImport } from "../src/domain/certificates/import/mod.ts";
import { renewCertificate } from "../src/domain/certificates/renewal/renew.ts";
import { expirySweep } from "../src/domain/certificates/status/expiry_sweep.ts";
import { updateObjects } from "../src/resource/mod.ts";
import { MAX_CHAIN_BATCH } from "../src/base/limits.ts";
import { makeCertificate } from "./certificate.ts";
import type { Endpoint } from "./endpoints.ts";
import { playEvents } from "./events.ts";
import { resource } from "./people.ts";
import { HISTORY_DAYS, type PlannedCertificate } from "./plan.ts";
import { placeKey } from "./references.ts";
import { chunks, type DemoState, setTime } from "./state.ts";

/** Nights between validations of all chains. */
const CHAIN_NIGHTS = 15;
/** Private key locations, by the kind of certificate. */
const LOCATIONS: Readonly<Record<string, string>> = {
  harbor: "HSM hsm-1, slot 4",
  group: "vault: pki/aldgate",
  devices: "on the device",
  legacy: "unknown",
};

/** All days up to today. `progress` is called after each. */
export async function playHistory(demo: DemoState, progress: (day: number) => void): Promise<void> {
  for (let day = -HISTORY_DAYS; day <= 0; day++) {
    await night(demo, day);
    const newcomers = demo.plan.filter(({ arrives }) => arrives === day);
    setTime(demo, day, 20);
    await importAll(demo, newcomers.filter(({ replaces }) => replaces === undefined));
    for (const [index, planned] of newcomers.filter(({ replaces }) => replaces !== undefined).entries()) {
      setTime(demo, day, 40 + index);
      await renew(demo, planned);
    }
    setTime(demo, day, 60);
    await playEvents(demo, day);
    setTime(demo, day, 118);
    await validate(demo, newcomers.map((planned) => demo.stored.get(planned) as number));
    progress(day);
  }
  setTime(demo, 0, 120);
  await night(demo, 0);
  await validate(demo, [...demo.live]);
}

/** Runs the scheduled jobs: the sweep, the policies, the score; the first night finds nothing. */
async function night(demo: DemoState, day: number): Promise<void> {
  setTime(demo, day, 0);
  const { ctx, live } = demo;
  await expirySweep({ ctx });
  if (live.size === 0) return;
  if (day % CHAIN_NIGHTS === 0) await validate(demo, [...live]);
  await bulkCheckCertificates({ ctx, input: { certificate_ids: [...live] } });
  await storeDailyScore({ ctx });
}

async function validate({ ctx, stored, live }: DemoState, ids: readonly number[]): Promise<void> {
  const known = ids.filter((id) => live.has(id));
  if (stored.size === 0) return;
  for (const some of chunks(known, MAX_CHAIN_BATCH)) await bulkValidateChains({ ctx, input: { ids: some } });
}

/** Returns who is responsible for the certificates of an endpoint. */
function keeper({ people }: DemoState, { organization, issuer }: Endpoint): Context {
  if (issuer.startsWith("letsencrypt")) return people.renewals;
  if (organization.slug === "harbor-bank") return people.harbor;
  return organization.slug.length % 2 === 0 ? people.ines : people.marek;
}

async function importAll(demo: DemoState, newcomers: readonly PlannedCertificate[]): Promise<void> {
  const groups = Map.groupBy(newcomers, ({ endpoint }) => keeper(demo, endpoint));
  for (const [ctx, group] of groups) {
    for (const some of chunks(group, ctx.settings.bulkImportMaxBatchSize)) {
      const input = [];
      for (const planned of some) input.push(await itemOf(demo, planned));
      const done = await bulkImport({ ctx, input });
      if (!("certificates" in done)) throw new Error("Expected the import of PEM texts");
      done.certificates.forEach(({ id }, index) => keep(demo, some[index] as PlannedCertificate, id));
    }
    await assign(demo, ctx, group);
    await markAcme(demo, group);
  }
}

async function itemOf(
  demo: DemoState,
  planned: PlannedCertificate,
): Promise<Readonly<Record<string, unknown>>> {
  const { organization, tags, issuer } = planned.endpoint;
  return {
    pem_content: await makeCertificate(planned, demo),
    tenant: { slug: organization.slug },
    tags: tags.map((slug) => ({ slug })),
    private_key_location: LOCATIONS[issuer] ?? "on the load balancer",
  };
}

function keep({ stored, live }: DemoState, planned: PlannedCertificate, id: number): void {
  stored.set(planned, id);
  live.add(id);
}

/** One call for each object, as a person would do it. */
async function assign(demo: DemoState, ctx: Context, group: readonly PlannedCertificate[]): Promise<void> {
  const byPlace = Map.groupBy(
    group.flatMap((planned) => planned.endpoint.targets.map((target) => ({ planned, target }))),
    ({ target }) => placeKey(target),
  );
  for (const [key, entries] of byPlace) {
    const { target } = entries[0] as (typeof entries)[number];
    await bulkAssign({
      ctx,
      input: {
        certificate_ids: entries.map(({ planned }) => demo.stored.get(planned)),
        assigned_object_type: target.type,
        assigned_object_id: demo.targets.get(key),
        is_primary: entries.length === 1,
      },
    });
  }
}

async function markAcme({ people, stored }: DemoState, group: readonly PlannedCertificate[]): Promise<void> {
  const acme = group.filter(({ endpoint }) => endpoint.issuer.startsWith("letsencrypt"));
  if (acme.length === 0) return;
  await updateObjects({
    ctx: people.renewals,
    resource: resource("certmgr.certificate"),
    mode: "patch",
    input: acme.map((planned) => ({ id: stored.get(planned), acme_auto_renewal: true })),
  });
}

async function renew(demo: DemoState, planned: PlannedCertificate): Promise<void> {
  const before = demo.stored.get(planned.replaces as PlannedCertificate) as number;
  const renewal = await renewCertificate({
    ctx: keeper(demo, planned.endpoint),
    id: before,
    input: { pem_content: await makeCertificate(planned, demo) },
  });
  keep(demo, planned, renewal.new.id as number);
  demo.live.delete(before);
  await markAcme(demo, [planned]);
}
