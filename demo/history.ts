/** Plays the plan day by day, with the clock set back: what the verbs record then is as old as it seems. */

import type { Context } from "../src/auth/mod.ts";
import { bulkAssign } from "../src/domain/assignments/mod.ts";
import { bulkValidateChains } from "../src/domain/certificates/chain/mod.ts";
import { bulkCheckCertificates, storeDailyScore } from "../src/domain/compliance/mod.ts";
import { bulkImportPem } from "../src/domain/certificates/import/mod.ts";
import { renewCertificate } from "../src/domain/certificates/renewal/mod.ts";
import { expirySweep } from "../src/domain/certificates/status/mod.ts";
import { updateObjects } from "../src/resource/mod.ts";
import { MAX_CHAIN_BATCH } from "../src/base/limits.ts";
import { makeCertificate } from "./certificate.ts";
import type { Endpoint } from "./endpoints.ts";
import { playEvents } from "./events.ts";
import { resource } from "./people.ts";
import { HISTORY_DAYS, type PlannedCertificate } from "./plan.ts";
import { placeKey } from "./references.ts";
import { chunks, setTime, type World } from "./world.ts";

/** Nights between validations of all chains. */
const CHAIN_NIGHTS = 15;
/** Where keys are kept, by how the certificate is made. */
const LOCATIONS: Readonly<Record<string, string>> = {
  harbor: "HSM hsm-1, slot 4",
  group: "vault: pki/aldgate",
  devices: "on the device",
  legacy: "unknown",
};

/** All days up to today. `progress` is told each one that is done. */
export async function playHistory(world: World, progress: (day: number) => void): Promise<void> {
  for (let day = -HISTORY_DAYS; day <= 0; day++) {
    await night(world, day);
    const newcomers = world.plan.filter(({ arrives }) => arrives === day);
    setTime(world, day, 20);
    await importAll(world, newcomers.filter(({ replaces }) => replaces === undefined));
    for (const [index, planned] of newcomers.filter(({ replaces }) => replaces !== undefined).entries()) {
      setTime(world, day, 40 + index);
      await renew(world, planned);
    }
    setTime(world, day, 60);
    await playEvents(world, day);
    setTime(world, day, 118);
    await validate(world, newcomers.map((planned) => world.stored.get(planned) as number));
    progress(day);
  }
  setTime(world, 0, 120);
  await night(world, 0);
  await validate(world, [...world.live]);
}

/** What runs by itself: the sweep, the policies, the score; the first night finds nothing. */
async function night(world: World, day: number): Promise<void> {
  setTime(world, day, 0);
  const { ctx, live } = world;
  await expirySweep({ ctx });
  if (live.size === 0) return;
  if (day % CHAIN_NIGHTS === 0) await validate(world, [...live]);
  await bulkCheckCertificates({ ctx, input: { certificate_ids: [...live] } });
  await storeDailyScore({ ctx });
}

async function validate({ ctx, stored, live }: World, ids: readonly number[]): Promise<void> {
  const known = ids.filter((id) => live.has(id));
  if (stored.size === 0) return;
  for (const some of chunks(known, MAX_CHAIN_BATCH)) await bulkValidateChains({ ctx, input: { ids: some } });
}

/** Who looks after the certificates of an endpoint. */
function keeper({ people }: World, { organisation, issuer }: Endpoint): Context {
  if (issuer.startsWith("letsencrypt")) return people.renewals;
  if (organisation.slug === "harbor-bank") return people.harbor;
  return organisation.slug.length % 2 === 0 ? people.ines : people.marek;
}

async function importAll(world: World, newcomers: readonly PlannedCertificate[]): Promise<void> {
  const groups = Map.groupBy(newcomers, ({ endpoint }) => keeper(world, endpoint));
  for (const [ctx, group] of groups) {
    for (const some of chunks(group, ctx.settings.bulkImportMaxBatchSize)) {
      const input = [];
      for (const planned of some) input.push(await itemOf(world, planned));
      const { certificates } = await bulkImportPem({ ctx, input });
      certificates.forEach(({ id }, index) => keep(world, some[index] as PlannedCertificate, id));
    }
    await assign(world, ctx, group);
    await markAcme(world, group);
  }
}

async function itemOf(world: World, planned: PlannedCertificate): Promise<Readonly<Record<string, unknown>>> {
  const { organisation, tags, issuer } = planned.endpoint;
  return {
    pem_content: await makeCertificate(planned, world),
    tenant: { slug: organisation.slug },
    tags: tags.map((slug) => ({ slug })),
    private_key_location: LOCATIONS[issuer] ?? "on the load balancer",
  };
}

function keep({ stored, live }: World, planned: PlannedCertificate, id: number): void {
  stored.set(planned, id);
  live.add(id);
}

/** One call for each object, as a person would do it. */
async function assign(world: World, ctx: Context, group: readonly PlannedCertificate[]): Promise<void> {
  const byPlace = Map.groupBy(
    group.flatMap((planned) => planned.endpoint.places.map((place) => ({ planned, place }))),
    ({ place }) => placeKey(place),
  );
  for (const [key, entries] of byPlace) {
    const { place } = entries[0] as (typeof entries)[number];
    await bulkAssign({
      ctx,
      input: {
        certificate_ids: entries.map(({ planned }) => world.stored.get(planned)),
        assigned_object_type: place.type,
        assigned_object_id: world.places.get(key),
        is_primary: entries.length === 1,
      },
    });
  }
}

async function markAcme({ people, stored }: World, group: readonly PlannedCertificate[]): Promise<void> {
  const acme = group.filter(({ endpoint }) => endpoint.issuer.startsWith("letsencrypt"));
  if (acme.length === 0) return;
  await updateObjects({
    ctx: people.renewals,
    resource: resource("certmgr.certificate"),
    mode: "patch",
    input: acme.map((planned) => ({ id: stored.get(planned), acme_auto_renewal: true })),
  });
}

async function renew(world: World, planned: PlannedCertificate): Promise<void> {
  const before = world.stored.get(planned.replaces as PlannedCertificate) as number;
  const renewal = await renewCertificate({
    ctx: keeper(world, planned.endpoint),
    id: before,
    input: { pem_content: await makeCertificate(planned, world) },
  });
  keep(world, planned, renewal.new.id as number);
  world.live.delete(before);
  await markAcme(world, [planned]);
}
