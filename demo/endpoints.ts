/** Where certificates are in use: names, and the devices, virtual machines and services behind them. */

import type { KeyKind } from "../tests/support/test_ca/mod.ts";
import type { IssuerName } from "./issuers.ts";
import { type Organization, ORGANIZATIONS } from "./organizations.ts";
import type { Random } from "./random.ts";

/** An object that a certificate is assigned to. */
export interface Target {
  readonly type: "dcim.device" | "virtualization.virtualmachine" | "ipam.service";
  readonly name: string;
}

/** What is wrong with the certificates of an endpoint, beyond dates and keys. */
export type Flaw = "no chain" | "late chain" | "broken signature" | "wrong chain" | "self-signed";

/** A name, and how its successive certificates are made. */
export interface Endpoint {
  readonly organization: Organization;
  readonly commonName: string;
  readonly sans: readonly string[];
  readonly issuer: IssuerName;
  readonly key: KeyKind;
  /** Validity of its certificates in days. */
  readonly lifetime: number;
  readonly tags: readonly string[];
  /** Absent: its place of use is not recorded. */
  readonly targets: readonly Target[];
  readonly flaw?: Flaw;
}

/** Validity in days, as these authorities issue it. */
const ACME_DAYS = 90;
const PUBLIC_DAYS = 199;
const INNER_DAYS = 397;
const LONG_DAYS = 825;
/** Share of the group's own certificates that were first imported without their chains. */
const ALONE_AT_FIRST = 0.7;
/** Share of names without a recorded place of use. */
const UNASSIGNED = 0.12;
const SWITCHES = 38;

type Draft = Omit<Endpoint, "organization" | "targets"> & { readonly target?: Target };

/** All names of the demonstration. */
export function planEndpoints(random: Random): Endpoint[] {
  const [platform, retail, bank, health] = ORGANIZATIONS as unknown as Organization[];
  const own = ORGANIZATIONS.flatMap((organization) =>
    [...publicNames(organization, random), ...innerNames(organization, random)]
      .map((draft) => complete(organization, { draft, random }))
  );
  const odd = [
    ...[platform, retail, bank].map((one) => [one, wildcard(one as Organization)] as const),
    ...switches(random).map((draft) => [platform, draft] as const),
    ...legacyNames().map((draft) => [retail, draft] as const),
    ...flawedNames().map((draft) => [health, draft] as const),
  ].map(([organization, draft]) => complete(organization as Organization, { draft, random }));
  return [...own, ...odd];
}

function complete(
  organization: Organization,
  { draft: { target, ...draft }, random }: { draft: Draft; random: Random },
): Endpoint {
  const assigned = target !== undefined && !random.chance(UNASSIGNED);
  return { organization, ...draft, targets: assigned ? [target] : [] };
}

/** Public names: most from ACME, the important ones from a public authority under contract. */
function publicNames({ slug, domain, publicHosts }: Organization, random: Random): Draft[] {
  return publicHosts.flatMap((host, index) => {
    const commonName = `${host}.${domain}`;
    const bank = slug === "harbor-bank";
    const acme = !bank && !["www", "pay", "checkout", "sso", "portal"].includes(host) && random.chance(0.8);
    const issuer = acme
      ? random.pick<IssuerName>(["letsencrypt-rsa", "letsencrypt-ec"])
      : random.pick<IssuerName>(bank ? ["digicert"] : ["digicert", "globalsign"]);
    const endpoint: Draft = {
      commonName,
      sans: host === "www" ? [commonName, domain] : [commonName],
      issuer,
      key: acme
        ? random.pick<KeyKind>(["p256", "rsa2048"])
        : random.pick<KeyKind>(["rsa2048", "rsa2048", "rsa4096"]),
      lifetime: acme ? ACME_DAYS : PUBLIC_DAYS,
      tags: ["production", "internet", ...(bank || host === "pay" || host === "checkout" ? ["pci"] : [])],
      target: { type: "ipam.service", name: `https ${commonName}` },
    };
    if (index % 3 !== 1) return [endpoint];
    const trial = `${host}.staging.${domain}`;
    return [endpoint, { ...endpoint, commonName: trial, sans: [trial], tags: ["staging"] }];
  });
}

/** Internal names: from the group's own authority, or the bank's. */
function innerNames({ slug, domain, innerHosts }: Organization, random: Random): Draft[] {
  const bank = slug === "harbor-bank";
  return innerHosts.map((host, index) => {
    const commonName = `${host}.int.${domain}`;
    const address = `IP:10.${20 + slug.length}.${random.between(0, 9)}.${10 + index}`;
    const bus = /^(kafka|mq|mqtt|rabbit)/.test(host);
    return {
      commonName,
      sans: random.chance(0.25) ? [commonName, address] : [commonName],
      issuer: bank ? "harbor" : bus ? "devices" : "group",
      key: random.pick<KeyKind>(["rsa2048", "rsa2048", "rsa3072", "p256", "p256", "p384"]),
      lifetime: INNER_DAYS,
      tags: ["production", "internal", ...(bank ? ["pci"] : []), ...(bus ? ["mtls"] : [])],
      target: { type: "virtualization.virtualmachine", name: `${host}.${slug}` },
      ...(!bank && random.chance(ALONE_AT_FIRST) ? { flaw: "late chain" } : {}),
    };
  });
}

function wildcard({ slug, domain }: Organization): Draft {
  return {
    commonName: `*.${domain}`,
    sans: [`*.${domain}`, domain],
    issuer: "digicert",
    key: "rsa2048",
    lifetime: PUBLIC_DAYS,
    tags: ["production", "internet", "wildcard"],
    target: { type: "dcim.device", name: `lb-1.${slug}` },
  };
}

function switches(random: Random): Draft[] {
  return Array.from({ length: SWITCHES }, (_, index) => {
    const name = `sw-${String(index + 1).padStart(2, "0")}.net.aldgate.example`;
    return {
      commonName: name,
      sans: [name, `IP:10.1.${Math.floor(index / 8)}.${2 + index % 8}`],
      issuer: "devices",
      key: random.pick<KeyKind>(["p256", "p256", "rsa2048"]),
      lifetime: index % 5 === 0 ? LONG_DAYS : INNER_DAYS,
      tags: ["internal"],
      target: { type: "dcim.device", name },
    };
  });
}

/** Legacy certificates: short keys, long validity, no alternative names, an expired authority. */
function legacyNames(): Draft[] {
  const names = ["as400", "fax-gw", "cups", "timeclock", "old-intranet", "edi-legacy", "voicemail", "badge"];
  return names.map((host, index) => ({
    commonName: `${host}.int.alderpine.example`,
    sans: index % 2 === 0 ? [] : [`${host}.int.alderpine.example`],
    issuer: "legacy",
    key: index < 3 ? "rsa1024" : "rsa2048",
    lifetime: LONG_DAYS,
    tags: ["legacy", "internal"],
    target: { type: "virtualization.virtualmachine", name: `${host}.alder-pine` },
  }));
}

/** Certificates with invalid chains, each with another defect, obtained outside the rules. */
function flawedNames(): Draft[] {
  const of = (host: string, draft: Partial<Draft> & Pick<Draft, "issuer">): Draft => {
    const commonName = host.includes(".") ? host : `${host}.meridianhealth.example`;
    const base = { commonName, sans: [commonName], key: "rsa2048", lifetime: INNER_DAYS, tags: [] } as const;
    return { ...base, ...draft };
  };
  const appliances = ["nas-1", "ups-3", "camera-nvr", "printer-lab", "idrac-07", "idrac-08", "wlan-ctl"];
  return [
    of("campaign-2026", { issuer: "sectigo", lifetime: PUBLIC_DAYS, tags: ["internet"] }),
    of("recruiting", { issuer: "sectigo", lifetime: PUBLIC_DAYS, tags: ["internet"] }),
    of("newsletter", { issuer: "sectigo", lifetime: PUBLIC_DAYS, flaw: "no chain", tags: ["internet"] }),
    of("insurer-gw.trawler.example", { issuer: "partner", flaw: "no chain", key: "rsa3072" }),
    of("results.trawler.example", { issuer: "partner", flaw: "no chain", key: "ed25519" }),
    of("orders.trawler.example", { issuer: "partner" }),
    of("mesh-ingress", { issuer: "group", key: "ed25519", flaw: "wrong chain" }),
    of("consent", { issuer: "group", flaw: "wrong chain" }),
    of("pathology", { issuer: "group", flaw: "broken signature" }),
    ...appliances.map((host) =>
      of(`${host}.int.meridianhealth.example`, { issuer: "group", key: "p256", flaw: "self-signed" })
    ),
  ];
}
