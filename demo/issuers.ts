/** The authorities of the demo: newly generated keys, with names of public authorities where the name matters. */

import { DAY_MS, type Millis } from "../src/base/clock.ts";
import { TestCa } from "../tests/support/test_ca/mod.ts";

/** Authorities, by the name that plans use. */
export type IssuerName =
  | "letsencrypt-rsa"
  | "letsencrypt-ec"
  | "digicert"
  | "globalsign"
  | "sectigo"
  | "group"
  | "devices"
  | "harbor"
  | "legacy"
  | "partner";

/** An issuing authority with the certificates above it. */
export interface Issuer {
  readonly ca: TestCa;
  readonly root: TestCa;
  /** PEM of what a server would send after its own certificate. */
  readonly chain: string;
}

/** A tracked authority, in the form that the resource accepts. */
export type AuthorityBody = Readonly<Record<string, unknown>>;

const YEAR_MS = 365 * DAY_MS;
/** Days since the intermediate of the legacy authority expired. */
const LEGACY_ENDED = 17;

/** Subjects of root and issuing authority. */
const SUBJECTS: Readonly<Record<IssuerName, readonly [root: string, issuing: string]>> = {
  "letsencrypt-rsa": [
    "C=US, O=DemoState Web Trust, CN=DemoState Web Root X1",
    "C=US, O=Let's Encrypt, CN=R12",
  ],
  "letsencrypt-ec": ["C=US, O=DemoState Web Trust, CN=DemoState Web Root X1", "C=US, O=Let's Encrypt, CN=E8"],
  "digicert": [
    "C=US, O=DigiCert Inc, CN=DigiCert DemoState Root",
    "C=US, O=DigiCert Inc, CN=DigiCert DemoState TLS RSA CA1",
  ],
  "globalsign": [
    "C=BE, O=GlobalSign nv-sa, CN=GlobalSign DemoState Root",
    "C=BE, O=GlobalSign nv-sa, CN=GlobalSign DemoState RSA OV SSL CA",
  ],
  "sectigo": [
    "C=GB, O=Sectigo Limited, CN=Sectigo DemoState Root",
    "C=GB, O=Sectigo Limited, CN=Sectigo DemoState RSA DV CA",
  ],
  "group": ["C=GB, O=Aldgate Group, CN=Aldgate Root CA G2", "C=GB, O=Aldgate Group, CN=Aldgate Issuing CA 1"],
  "devices": ["C=GB, O=Aldgate Group, CN=Aldgate Root CA G2", "C=GB, O=Aldgate Group, CN=Aldgate Device CA"],
  "harbor": [
    "C=NL, O=Harbor Bank, CN=Harbor Bank Root CA",
    "C=NL, O=Harbor Bank, CN=Harbor Bank Server CA 3",
  ],
  "legacy": [
    "C=GB, O=Aldgate Group, CN=Aldgate Root CA G1",
    "C=GB, O=Aldgate Group, CN=Aldgate Server CA 2016",
  ],
  "partner": ["O=Trawler Systems, CN=Trawler Systems Root", "O=Trawler Systems, CN=Trawler Partner CA"],
};

/** Creates all of them, valid around the day that begins at `today`. */
export async function makeIssuers(today: Millis): Promise<ReadonlyMap<IssuerName, Issuer>> {
  const roots = new Map<string, TestCa>();
  const issuers = new Map<IssuerName, Issuer>();
  for (
    const [name, [rootSubject, subject]] of Object.entries(SUBJECTS) as [
      IssuerName,
      readonly [string, string],
    ][]
  ) {
    const root = roots.get(rootSubject) ?? await TestCa.root({
      subject: rootSubject,
      key: "p384",
      notBefore: today - 9 * YEAR_MS,
      notAfter: today + 11 * YEAR_MS,
    });
    roots.set(rootSubject, root);
    const ca = await root.intermediate({
      subject,
      key: name === "letsencrypt-ec" ? "p384" : "p256",
      pathLength: 0,
      notBefore: today - (name === "legacy" ? 9 : 3) * YEAR_MS,
      notAfter: name === "legacy" ? today - LEGACY_ENDED * DAY_MS - 1000 : today + 4 * YEAR_MS,
    });
    issuers.set(name, { ca, root, chain: ca.pem });
  }
  return issuers;
}

/** Authorities whose roots stand for those of browsers. */
const PUBLIC: readonly IssuerName[] = ["letsencrypt-rsa", "digicert", "globalsign", "sectigo"];

/** Returns the trust data by which their roots are public. */
export function trustData(issuers: ReadonlyMap<IssuerName, Issuer>): string {
  const roots = PUBLIC.map((name) => (issuers.get(name) as Issuer).root);
  return JSON.stringify(
    {
      version: 1,
      public_roots: roots.map(({ certificate: { fingerprintSha256, subject } }) => ({
        fingerprint_sha256: fingerprintSha256,
        name: subject.text,
        reason: "stands for a root of browsers",
        source: "demo",
      })),
    },
    undefined,
    2,
  );
}

/** How the inventory records them. */
export function authorityBodies(issuers: ReadonlyMap<IssuerName, Issuer>): AuthorityBody[] {
  const anchor = (name: IssuerName): { pem_content: string } => ({
    pem_content: (issuers.get(name) as Issuer).root.pem,
  });
  const web = (host: string): AuthorityBody => ({ website_url: `https://${host}.example/` });
  return [
    {
      name: "Let's Encrypt",
      type: "acme",
      is_approved: true,
      issuer_pattern: "O=Let's Encrypt",
      description: "Public names; renewed automatically by ACME clients",
      ...web("letsencrypt"),
      ...anchor("letsencrypt-rsa"),
    },
    {
      name: "DigiCert",
      type: "public",
      is_approved: true,
      issuer_pattern: "O=DigiCert Inc",
      description: "Organization-validated, under the group contract",
      contact_email: "pki@aldgate.example",
      ...web("digicert"),
      ...anchor("digicert"),
    },
    {
      name: "GlobalSign",
      type: "public",
      is_approved: true,
      issuer_pattern: "O=GlobalSign",
      ...web("globalsign"),
      ...anchor("globalsign"),
    },
    {
      name: "Sectigo",
      type: "public",
      is_approved: false,
      issuer_pattern: "O=Sectigo",
      description: "Not under contract: bought with a credit card",
      ...anchor("sectigo"),
    },
    {
      name: "Aldgate Root CA G2",
      type: "internal",
      is_approved: true,
      issuer_pattern: "CN=Aldgate Root CA G2",
      description: "Trust anchor of everything inside",
      contact_email: "pki@aldgate.example",
      ...anchor("group"),
    },
    {
      name: "Aldgate Issuing CA 1",
      type: "internal",
      is_approved: true,
      issuer_pattern: "CN=Aldgate Issuing CA 1",
      portal_url: "https://ca.aldgate.example/request",
      contact_email: "pki@aldgate.example",
    },
    {
      name: "Aldgate Device CA",
      type: "internal",
      is_approved: true,
      issuer_pattern: "CN=Aldgate Device CA",
      description: "Network devices, and clients of the message bus",
    },
    {
      name: "Harbor Bank PKI",
      type: "internal",
      is_approved: true,
      issuer_pattern: "O=Harbor Bank",
      description: "The bank runs its own authority",
      contact_email: "keys@harborbank.example",
      ...anchor("harbor"),
    },
    {
      name: "Aldgate Server CA 2016",
      type: "internal",
      is_approved: false,
      issuer_pattern: "CN=Aldgate Server CA 2016",
      description: "Retired; its certificates must be replaced",
      ...anchor("legacy"),
    },
  ];
}
