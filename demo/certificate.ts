/** Makes a planned certificate, including its planned defects. */

import { DAY_MS, type Millis, startOfDay } from "../src/base/clock.ts";
import {
  type CertificateInput,
  derWriter,
  keyIdentifier,
  TestCa,
  type TestKey,
} from "../tests/support/test_ca/mod.ts";
import type { Issuer, IssuerName } from "./issuers.ts";
import type { PlannedCertificate } from "./plan.ts";
import type { Random } from "./random.ts";

/** PEM of a certificate, followed by its chain as a server would send it. */
export async function makeCertificate(
  planned: PlannedCertificate,
  { issuers, now, random, key }: {
    issuers: ReadonlyMap<IssuerName, Issuer>;
    now: Millis;
    random: Random;
    key?: TestKey;
  },
): Promise<string> {
  const { endpoint: { commonName, organization, flaw, ...endpoint }, serial } = planned;
  const { ca, chain } = issuers.get(endpoint.issuer) as Issuer;
  const today = startOfDay(now);
  const input: CertificateInput = {
    subject: [["C", "GB"], ["O", organization.name], ["CN", commonName]],
    sans: endpoint.sans,
    serial,
    ...(key === undefined ? keyOf(planned, random) : { key }),
    notBefore: today + planned.from * DAY_MS,
    notAfter: today + (planned.to + 1) * DAY_MS - 1000,
  };
  if (flaw === "self-signed") return (await TestCa.selfSigned(input)).pem;
  if (flaw === "broken signature") return (await ca.issue({ ...input, brokenSignature: true })).pem + chain;
  if (flaw !== "wrong chain") return (await ca.issue(input)).pem + (comesAlone(planned) ? "" : chain);
  // The same name and key identifier, but another key, as if someone had copied the wrong file.
  const impostor = await TestCa.root({ subject: ca.subject });
  return (await impostor.issue({ ...input, authorityKeyId: keyIdentifier(ca.key.spki) })).pem + chain;
}

/** Whether it comes without its chain: always, or only the first time. */
function comesAlone({ endpoint: { flaw }, replaces }: PlannedCertificate): boolean {
  return flaw === "no chain" || (flaw === "late chain" && replaces === undefined);
}

/**
 * RSA keys take long to make, and nobody will ask for these to sign anything: their public halves are numbers of the
 * right size, to which there is no private half. The others are true, and new each time.
 */
function keyOf(
  { endpoint: { key } }: PlannedCertificate,
  random: Random,
): Pick<CertificateInput, "key" | "spki"> {
  const bits = /^rsa(\d+)$/.exec(key)?.[1];
  return bits === undefined ? { key } : { spki: rsaKey(random.bytes(Number(bits) / 8)) };
}

const RSA_ENCRYPTION = "1.2.840.113549.1.1.1";
const USUAL_EXPONENT = 65_537;

/** SubjectPublicKeyInfo (RFC 8017 §A.1.1) with a modulus of exactly these bytes, made odd and of full length. */
function rsaKey(modulus: Uint8Array): Uint8Array {
  modulus[0] = (modulus[0] as number) | 0x80;
  modulus[modulus.length - 1] = (modulus.at(-1) as number) | 1;
  const { sequence, oid, nothing, bitString, integer } = derWriter;
  const key = sequence(integer(BigInt(`0x${modulus.toHex()}`)), integer(USUAL_EXPONENT));
  return sequence(sequence(oid(RSA_ENCRYPTION), nothing()), bitString(key));
}
