/** The certificates that scenarios deal with: made once a process, good at `TEST_NOW`, the same serials in every run. */

import { buildRequest, TestCa, type TestCertificate } from "./test_ca/mod.ts";

/** A private authority with one intermediate. */
const root = await TestCa.root({ subject: "C=US, O=Acme Corp, CN=Acme Root CA", serial: 1 });
const issuing = await root.intermediate({ subject: "C=US, O=Acme Corp, CN=Acme Issuing CA", serial: 2 });
const stranger = await TestCa.root({ subject: "O=Stranger, CN=Stranger Root", serial: 3 });
/** An authority whose name looks like a public ACME provider's. */
const acme = await TestCa.root({ subject: "C=US, O=Let's Encrypt, CN=R11", serial: 4 });

function leaf(cn: string, serial: number): Promise<TestCertificate> {
  return issuing.issue({ cn, serial, sans: [cn, `alt.${cn}`] });
}

/** Certificates by the part that they play. `stored` ones are in the seeded database, `fresh` ones are not. */
export const pki = {
  root,
  issuing,
  stranger,
  acme,
  stored: {
    acme: await leaf("www.acme.example", 0x0a1b2c),
    globex: await leaf("www.globex.example", 0x0a1b2d),
  },
  fresh: await leaf("fresh.acme.example", 0x00f001),
  other: await leaf("other.acme.example", 0x00f002),
  byAcme: await acme.issue({ cn: "auto.acme.example", serial: 0xf003 }),
  request: await buildRequest({ subject: "O=Globex Corp, CN=wanted.globex.example" }),
  anonymous: await issuing.issue({ subject: "", sans: ["IP:192.0.2.7", "dns-only.example"], serial: 0xf004 }),
} as const;

/** PEM of the intermediate and the root: what stands above every leaf of {@link pki.issuing}. */
export const CHAIN = `${issuing.pem}${root.pem}`;
