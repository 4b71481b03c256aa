/** What certificates refer to: tenants, tags, devices, virtual machines, services, authorities, policies. */

import type { Context } from "../src/auth/mod.ts";
import { createObjects } from "../src/resource/mod.ts";
import type { Endpoint, Target } from "./endpoints.ts";
import { type AuthorityBody } from "./issuers.ts";
import { ORGANIZATIONS, TAGS } from "./organizations.ts";
import { resource } from "./people.ts";

/** Ids of objects by their type and name. */
export type TargetIds = ReadonlyMap<string, number>;

/** The key of a target in {@link TargetIds}. */
export function placeKey({ type, name }: Target): string {
  return `${type} ${name}`;
}

type Body = Readonly<Record<string, unknown>>;

/** The rules of the group. */
const POLICIES: readonly Body[] = [
  {
    name: "Chain must be valid",
    description: "The chain must be complete and its signatures valid; a self-signed certificate needs none",
    policy_type: "chain_required",
    severity: "critical",
  },
  {
    name: "Keys of at least 2048 bits",
    policy_type: "min_key_size",
    severity: "critical",
    parameters: { min_bits: 2048, min_ec_bits: 256 },
  },
  {
    name: "At most 398 days",
    description: "Certificates that are valid for longer tend to be forgotten until they expire",
    policy_type: "max_validity_days",
    severity: "warning",
    parameters: { max_days: 398 },
  },
  {
    name: "Renewed two weeks ahead",
    policy_type: "expiry_warning",
    severity: "warning",
    parameters: { warning_days: 14 },
  },
  {
    name: "Names as alternative names",
    description: "Browsers have ignored the common name since 2017",
    policy_type: "san_required",
    severity: "warning",
    parameters: { min_count: 1 },
  },
  {
    name: "Card data: approved authorities",
    policy_type: "issuer_allowed",
    severity: "critical",
    parameters: { issuers: ["O=DigiCert", "O=Harbor Bank", "O=GlobalSign"] },
    tags: [{ slug: "pci" }],
  },
  {
    name: "Harbor Bank: no wildcards",
    policy_type: "wildcard_forbidden",
    severity: "warning",
    tenant: { slug: "harbor-bank" },
  },
  {
    name: "Elliptic curves only",
    description: "From next year on",
    policy_type: "algorithm_forbidden",
    severity: "info",
    enabled: false,
    parameters: { algorithms: ["rsa"] },
  },
];

/** Webhooks; disabled, because their addresses do not exist. */
const WEBHOOKS: readonly Body[] = [
  {
    name: "Tickets",
    object_types: ["certmgr.certificate"],
    events: ["updated"],
    conditions: { status__in: ["expired", "revoked"] },
    payload_url: "https://tickets.aldgate.example/hooks/certificates",
    enabled: false,
  },
  {
    name: "Chat of the PKI team",
    object_types: ["certmgr.certificate", "certmgr.certificatesigningrequest"],
    events: ["created", "updated", "deleted"],
    payload_url: "https://chat.aldgate.example/hooks/pki",
    enabled: false,
  },
];

/** Creates all of them; returns the ids of objects that certificates are assigned to. */
export async function makeReferences(
  ctx: Context,
  { endpoints, authorities }: { endpoints: readonly Endpoint[]; authorities: readonly AuthorityBody[] },
): Promise<TargetIds> {
  const make = (objectType: string, input: readonly Body[]): Promise<Record<string, unknown>[]> =>
    createObjects({ ctx, resource: resource(objectType), input });
  const tenants = await make(
    "tenancy.tenant",
    ORGANIZATIONS.map(({ name, slug, description }) => ({ name, slug, description })),
  );
  const [owner] = await make("tenancy.contactrole", [{ name: "Owner", slug: "owner" }]);
  const teams = await make(
    "tenancy.contact",
    ORGANIZATIONS.map(({ name, domain }) => ({ name: `${name} team`, email: `certificates@${domain}` })),
  );
  await make(
    "tenancy.contactassignment",
    teams.map((team, index) => ({
      object_type: "tenancy.tenant",
      object_id: tenants[index]?.id,
      contact: team.id,
      role: owner?.id,
    })),
  );
  await make(
    "extras.tag",
    TAGS.map(([slug, name, color, description]) => ({ slug, name, color, description })),
  );
  await make("certmgr.certificateauthority", authorities);
  await make("certmgr.compliancepolicy", POLICIES);
  await make("extras.webhook", WEBHOOKS);

  const ids = new Map<string, number>();
  const keep = (type: Target["type"], objects: readonly Record<string, unknown>[]): void =>
    objects.forEach(({ id, name }) => ids.set(placeKey({ type, name: name as string }), id as number));
  keep("dcim.device", await make("dcim.device", [...balancers(), ...placesOf(endpoints, "dcim.device")]));
  keep(
    "virtualization.virtualmachine",
    await make("virtualization.virtualmachine", placesOf(endpoints, "virtualization.virtualmachine")),
  );
  const services = placesOf(endpoints, "ipam.service").map((body) => ({
    ...body,
    protocol: "tcp",
    ports: [443],
    parent_object_type: "dcim.device",
    parent_object_id: ids.get(placeKey({ type: "dcim.device", name: `lb-1.${body.tenant.slug}` })),
  }));
  keep("ipam.service", await make("ipam.service", services));
  return ids;
}

/** Load balancers, which run the public services. */
function balancers(): Body[] {
  return ORGANIZATIONS.flatMap(({ slug }) =>
    [1, 2].map((number) => ({
      name: `lb-${number}.${slug}`,
      description: number === 1 ? "Load balancer" : "Load balancer, standing by",
      tenant: { slug },
      tags: [{ slug: "production" }],
    }))
  );
}

function placesOf(
  endpoints: readonly Endpoint[],
  type: Target["type"],
): (Body & { tenant: { slug: string } })[] {
  return endpoints.flatMap(({ targets, organization: { slug } }) =>
    targets.filter((target) => target.type === type && !/^lb-\d\./.test(target.name))
      .map(({ name }) => ({ name, tenant: { slug } }))
  );
}
