/** Signing requests and their outcomes. */

import { importPem, isImportReport } from "../src/domain/certificates/import/mod.ts";
import { importRequest } from "../src/domain/signing_requests/mod.ts";
import { updateObject } from "../src/resource/mod.ts";
import { buildRequest, newKey } from "../tests/support/test_ca/mod.ts";
import { makeCertificate } from "./certificate.ts";
import type { Endpoint } from "./endpoints.ts";
import type { IssuerName } from "./issuers.ts";
import { ORGANIZATIONS } from "./organizations.ts";
import { type PersonName, resource } from "./people.ts";
import { serialNumber } from "./plan.ts";
import type { DemoState } from "./state.ts";

/** A request: who requested what, and when. Days count from today, 0. */
interface Request {
  readonly day: number;
  readonly name: string;
  readonly by: PersonName;
  readonly target: string;
  readonly tenant: string;
  /** Day of the answer. */
  readonly settled?: number;
  readonly status?: "approved" | "rejected";
  /** Day on which the certificate was issued, and its issuer; `linked` if it was set as the result of the request. */
  readonly issued?: { readonly day: number; readonly issuer: IssuerName; readonly linked: boolean };
  readonly notes?: string;
}

const DAYS_VALID = 199;

const REQUESTS: readonly Request[] = [
  {
    day: -71,
    name: "chat.alderpine.example",
    by: "ines",
    target: "DigiCert",
    tenant: "alder-pine",
    issued: { day: -66, issuer: "digicert", linked: true },
  },
  {
    day: -64,
    name: "forms.harborbank.example",
    by: "harbor",
    target: "DigiCert",
    tenant: "harbor-bank",
    settled: -63,
    status: "approved",
    issued: { day: -60, issuer: "digicert", linked: true },
  },
  {
    day: -52,
    name: "*.meridianhealth.example",
    by: "marek",
    target: "Sectigo",
    tenant: "meridian-health",
    settled: -50,
    status: "rejected",
    notes: "No wildcards for patient data; request the names one by one",
  },
  {
    day: -33,
    name: "batch-2.int.harborbank.example",
    by: "harbor",
    target: "Harbor Bank PKI",
    tenant: "harbor-bank",
    settled: -31,
    status: "approved",
    issued: { day: -28, issuer: "harbor", linked: true },
  },
  {
    day: -21,
    name: "rates.harborbank.example",
    by: "harbor",
    target: "DigiCert",
    tenant: "harbor-bank",
    settled: -20,
    status: "approved",
    issued: { day: -1, issuer: "digicert", linked: false },
  },
  {
    day: -15,
    name: "test.lumenpress.example",
    by: "marek",
    target: "Sectigo",
    tenant: "lumen-press",
    settled: -15,
    status: "rejected",
    notes: "Let's Encrypt issues this free of charge",
  },
  {
    day: -9,
    name: "vpn2.aldgate.example",
    by: "ines",
    target: "GlobalSign",
    tenant: "platform",
    settled: -8,
    status: "approved",
  },
  {
    day: -6,
    name: "intake.meridianhealth.example",
    by: "marek",
    target: "DigiCert",
    tenant: "meridian-health",
    settled: -5,
    status: "approved",
  },
  { day: -4, name: "dock.kestrel.example", by: "ines", target: "Aldgate Issuing CA 1", tenant: "kestrel" },
  {
    day: -2,
    name: "kafka-4.int.aldgate.example",
    by: "marek",
    target: "Aldgate Device CA",
    tenant: "platform",
  },
  { day: -1, name: "wealth2.harborbank.example", by: "harbor", target: "DigiCert", tenant: "harbor-bank" },
];

const RESOURCE = resource("certmgr.certificatesigningrequest");

/** Creates, approves and issues the requests of a day. */
export async function handleRequests(demo: DemoState, day: number): Promise<void> {
  for (const request of REQUESTS) {
    if (request.day === day) await ask(demo, request);
    if (request.settled === day) await change(demo, request, { status: request.status });
    if (request.issued?.day === day) await issue(demo, request);
  }
}

async function ask(demo: DemoState, request: Request): Promise<void> {
  const { name, by, target, tenant, notes = "" } = request;
  const key = await newKey("p256");
  const subject = [["C", "GB"], ["O", organizationOf(tenant).name], ["CN", name]] as const;
  const { pem } = await buildRequest({ subject, sans: [name], key });
  const { id } = await importRequest({
    ctx: demo.people[by],
    input: { pem_content: pem, requested_by: by, target_ca: target, tenant: { slug: tenant }, notes },
  });
  demo.requests.set(name, { id: id as number, key });
}

async function change(demo: DemoState, { name }: Request, input: Record<string, unknown>): Promise<void> {
  const { id } = requestOf(demo, name);
  await updateObject({ ctx: demo.people.ines, resource: RESOURCE, id, input, mode: "patch" });
}

async function issue(demo: DemoState, request: Request): Promise<void> {
  const { name, tenant, by, issued } = request;
  const { day, issuer, linked } = issued as NonNullable<Request["issued"]>;
  const organization = organizationOf(tenant);
  const endpoint: Endpoint = {
    organization,
    commonName: name,
    sans: [name],
    issuer,
    key: "p256",
    lifetime: DAYS_VALID,
    tags: [],
    targets: [],
  };
  const planned = {
    endpoint,
    from: day,
    to: day + DAYS_VALID,
    arrives: day,
    serial: serialNumber(demo.random),
  };
  const { key } = requestOf(demo, name);
  const made = await importPem({
    ctx: demo.people[by],
    input: {
      pem_content: await makeCertificate(planned, { ...demo, key }),
      tenant: { slug: tenant },
    },
  });
  if (isImportReport(made)) throw new Error("Expected the import of one certificate");
  const id = made.id as number;
  demo.live.add(id);
  if (linked) await change(demo, request, { resulting_certificate: id });
}

function requestOf(
  { requests }: DemoState,
  name: string,
): { id: number; key: Awaited<ReturnType<typeof newKey>> } {
  const found = requests.get(name);
  if (found === undefined) throw new Error(`Request for "${name}" is missing`);
  return found;
}

function organizationOf(tenant: string): Endpoint["organization"] {
  return ORGANIZATIONS.find(({ slug }) => slug === tenant) as Endpoint["organization"];
}
