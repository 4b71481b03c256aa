/**
 * The certificates of scenarios. They are created once per run, are valid at `TEST_NOW`, and have the same serial
 * numbers in every run.
 */

import { sharedTemplate } from "./shared_template.ts";
import {
  buildRequest,
  storedKey,
  TestCa,
  type TestCertificate,
  testCertificate,
  type TestKey,
  type TestRequest,
  testRequest,
} from "./test_ca/mod.ts";

/** The parts of a certificate or request, in hexadecimal. */
type Stored = Readonly<Record<"der" | "subject" | "kind" | "spki" | "pkcs8", string>>;

async function make(): Promise<Uint8Array> {
  // A private authority with one intermediate.
  const root = await TestCa.root({ subject: "C=US, O=Acme Corp, CN=Acme Root CA", serial: 1 });
  const issuing = await root.intermediate({ subject: "C=US, O=Acme Corp, CN=Acme Issuing CA", serial: 2 });
  const stranger = await TestCa.root({ subject: "O=Stranger, CN=Stranger Root", serial: 3 });
  // An authority with the name of a public ACME provider.
  const acme = await TestCa.root({ subject: "C=US, O=Let's Encrypt, CN=R11", serial: 4 });
  const leaf = (cn: string, serial: number): Promise<TestCertificate> =>
    issuing.issue({ cn, serial, sans: [cn, `alt.${cn}`] });
  const all = {
    root,
    issuing,
    stranger,
    acme,
    storedAcme: await leaf("www.acme.example", 0x0a1b2c),
    storedGlobex: await leaf("www.globex.example", 0x0a1b2d),
    fresh: await leaf("fresh.acme.example", 0x00f001),
    other: await leaf("other.acme.example", 0x00f002),
    byAcme: await acme.issue({ cn: "auto.acme.example", serial: 0xf003 }),
    request: await buildRequest({ subject: "O=Globex Corp, CN=wanted.globex.example" }),
    anonymous: await issuing.issue({
      subject: "",
      sans: ["IP:192.0.2.7", "dns-only.example"],
      serial: 0xf004,
    }),
  } as const;
  const stored = Object.entries(all).map(([name, one]) => [name, toStored(one)]);
  return new TextEncoder().encode(JSON.stringify(Object.fromEntries(stored)));
}

function toStored(one: TestCertificate | TestRequest): Stored {
  const { der, key } = one;
  return {
    der: der.toHex(),
    subject: "subject" in one ? one.subject.toHex() : "",
    kind: key.kind,
    spki: key.spki.toHex(),
    pkcs8: key.pkcs8.toHex(),
  };
}

const stored: Readonly<Record<string, Stored>> = JSON.parse(
  new TextDecoder().decode(await sharedTemplate("pki.json", make)),
);

function keyOf({ kind, spki, pkcs8 }: Stored): TestKey {
  return storedKey({ kind, spki: Uint8Array.fromHex(spki), pkcs8: Uint8Array.fromHex(pkcs8) });
}

function certificate(name: string): TestCertificate {
  const one = stored[name] as Stored;
  return testCertificate(Uint8Array.fromHex(one.der), {
    key: keyOf(one),
    subject: Uint8Array.fromHex(one.subject),
  });
}

function authority(name: string): TestCa {
  return TestCa.of(certificate(name));
}

function request(name: string): TestRequest {
  const one = stored[name] as Stored;
  return testRequest(Uint8Array.fromHex(one.der), keyOf(one));
}

/** Certificates by their role. `stored` ones are in the seeded database, `fresh` ones are not. */
export const pki = {
  root: authority("root"),
  issuing: authority("issuing"),
  stranger: authority("stranger"),
  acme: authority("acme"),
  stored: { acme: certificate("storedAcme"), globex: certificate("storedGlobex") },
  fresh: certificate("fresh"),
  other: certificate("other"),
  byAcme: certificate("byAcme"),
  request: request("request"),
  anonymous: certificate("anonymous"),
} as const;

/** PEM of the intermediate and the root: the certificates above every leaf of {@link pki.issuing}. */
export const CHAIN = `${pki.issuing.pem}${pki.root.pem}`;
