/** Events apart from imports and renewals: lists from elsewhere, revocations, edits. */

import { sha256Hex } from "../src/base/bytes.ts";
import { DAY_MS, formatDate } from "../src/base/clock.ts";
import { bulkValidateChains } from "../src/domain/certificates/chain/validate_certificate.ts";
import { importPem, isImportReport } from "../src/domain/certificates/import/mod.ts";
import { bulkStatusUpdate } from "../src/domain/certificates/status/bulk_status_update.ts";
import { createObjects, updateObject, updateObjects } from "../src/resource/mod.ts";
import { makeCertificate } from "./certificate.ts";
import { playIncidents } from "./incidents.ts";
import { resource } from "./people.ts";
import { type PlannedCertificate, serialNumber } from "./plan.ts";
import { handleRequests } from "./requests.ts";
import type { DemoState } from "./state.ts";

/** Day on which a list from the printing house is imported. */
const LIST_DAY = -58;
/** Days on which a leaked key is found. */
const REVOCATION_DAYS = [-47, -34, -34, -12];
/** Day on which the successors for the bank's front end are added, as pending. */
const PENDING_DAY = -3;
const REMARK_EVERY_DAYS = 3;
const CHAINS_EVERY_DAYS = 5;
const CHAINS_AT_A_TIME = 4;

const CERTIFICATES = resource("certmgr.certificate");

/** What happens on a day: days count from today, 0. */
export async function playEvents(demo: DemoState, day: number): Promise<void> {
  await handleRequests(demo, day);
  if (day === LIST_DAY) await takeList(demo);
  for (const _ of REVOCATION_DAYS.filter((one) => one === day)) await revoke(demo);
  if (day === PENDING_DAY) await prepareSuccessors(demo);
  if (day % REMARK_EVERY_DAYS === 0) await remark(demo);
  if (day % CHAINS_EVERY_DAYS === 1 - CHAINS_EVERY_DAYS) await addChains(demo);
  await playIncidents(demo, day);
}

const LISTED = [
  "press-1",
  "press-2",
  "press-3",
  "folder",
  "plate-setter",
  "ink",
  "loading-bay",
  "proof",
  "rip-1",
  "rip-2",
];

/** Certificates that exist only in a list: without PEM their chains cannot be validated. */
async function takeList({ people, now, random }: DemoState): Promise<void> {
  const input = LISTED.map((host) => {
    const name = `${host}.ot.lumenpress.example`;
    return {
      common_name: name,
      serial_number: random.bytes(8).toHex(),
      issuer: "O=Plate & Press Machines, CN=Service CA",
      valid_from: formatDate(now - random.between(200, 500) * DAY_MS),
      valid_to: formatDate(now + random.between(10, 390) * DAY_MS),
      fingerprint_sha256: sha256Hex(name),
      algorithm: "rsa",
      key_size: 2048,
      sans: [name],
      tenant: { slug: "lumen-press" },
      tags: [{ slug: "legacy" }],
      private_key_location: "in the machine",
    };
  });
  await createObjects({ ctx: people.marek, resource: CERTIFICATES, input });
}

/** Revokes a certificate in use; its owner will request another. */
async function revoke(demo: DemoState): Promise<void> {
  const [id] = pickStored(demo, ({ to, endpoint }) => to > 60 && endpoint.tags.includes("internet"));
  if (id === undefined) return;
  await bulkStatusUpdate({ ctx: demo.people.ines, input: { ids: [id], status: "revoked" } });
  demo.live.delete(id);
}

/** Certificates that are valid from next week on. */
async function prepareSuccessors(demo: DemoState): Promise<void> {
  const { plan, people, random } = demo;
  const bank = plan.filter(({ endpoint }) => endpoint.commonName.endsWith(".harborbank.example"))
    .filter(({ to, from }) => from < 0 && to > 7 && to < 150);
  for (const { endpoint } of bank.slice(0, 4)) {
    const from = random.between(3, 8);
    const planned = {
      endpoint,
      from,
      to: from + endpoint.lifetime,
      arrives: PENDING_DAY,
      serial: serialNumber(random),
    };
    const made = await importPem({
      ctx: people.harbor,
      input: { pem_content: await makeCertificate(planned, demo), tenant: { slug: "harbor-bank" } },
    });
    if (isImportReport(made)) throw new Error("Expected the import of one certificate");
    const id = made.id as number;
    await updateObject({
      ctx: people.harbor,
      resource: CERTIFICATES,
      id,
      input: { status: "pending" },
      mode: "patch",
    });
    demo.live.add(id);
  }
}

/** Someone records where private keys are stored. */
async function remark(demo: DemoState): Promise<void> {
  const { people, random } = demo;
  const ids = pickStored(demo, () => true, random.between(1, 3));
  const target = random.pick([
    "vault: pki/web",
    "HSM hsm-2, slot 1",
    "on the load balancer",
    "Kubernetes secret",
  ]);
  await updateObjects({
    ctx: random.chance(0.5) ? people.ines : people.marek,
    resource: CERTIFICATES,
    input: ids.map((id) => ({ id, private_key_location: target })),
    mode: "patch",
  });
}

/** Adds missing chains, a few at a time, so that compliance improves. */
async function addChains(demo: DemoState): Promise<void> {
  const lacking = [...demo.stored].filter(([planned, id]) =>
    planned.endpoint.flaw === "late chain" && planned.replaces === undefined && demo.live.has(id) &&
    !demo.completed.has(id)
  ).slice(0, CHAINS_AT_A_TIME);
  if (lacking.length === 0) return;
  const input = lacking.map(([{ endpoint }, id]) => ({
    id,
    issuer_chain: demo.issuers.get(endpoint.issuer)?.chain,
  }));
  await updateObjects({ ctx: demo.people.ines, resource: CERTIFICATES, input, mode: "patch" });
  const ids = input.map(({ id }) => id);
  await bulkValidateChains({ ctx: demo.people.ines, input: { ids } });
  for (const id of ids) demo.completed.add(id);
}

/** Returns the ids of matching current certificates in random order. */
function pickStored(
  { stored, live, random }: DemoState,
  fits: (planned: PlannedCertificate) => boolean,
  count = 1,
): number[] {
  const fitting = [...stored].filter(([planned, id]) => live.has(id) && fits(planned)).map(([, id]) => id);
  const picked = new Set<number>();
  while (picked.size < Math.min(count, fitting.length)) picked.add(random.pick(fitting));
  return [...picked];
}
