/** A private key in every form that is detected, generated for each run. */

import { Buffer } from "node:buffer";
import { createPrivateKey } from "node:crypto";
import { ext, newKey, TestCa } from "./test_ca/mod.ts";

/** Returns texts that contain a private key, by their form. */
export async function privateKeys(): Promise<Record<string, string>> {
  const { pkcs8, privateKeyPem } = await newKey("p256");
  const key = createPrivateKey({ key: Buffer.from(pkcs8), format: "der", type: "pkcs8" });
  const rsa = createPrivateKey((await newKey("rsa2048")).privateKeyPem);
  const jwk = JSON.stringify(key.export({ format: "jwk" }));
  const number = Buffer.from(String(key.export({ format: "jwk" }).d), "base64url").toString("hex");
  const text = { format: "pem", type: "pkcs8" } as const;
  const root = await TestCa.root({ key: "p256" });
  const carrying = async (extension: ext.ExtensionInput): Promise<string> =>
    (await root.issue({ cn: "carrier.example", key: "p256", extensions: [extension] })).pem;
  return {
    pkcs8: privateKeyPem,
    sec1: String(key.export({ format: "pem", type: "sec1" })),
    pkcs1: String(rsa.export({ format: "pem", type: "pkcs1" })),
    encrypted: String(rsa.export({ ...text, cipher: "aes-256-cbc", passphrase: "secret" })),
    base64: pkcs8.toBase64(),
    hex: pkcs8.toHex(),
    escaped: JSON.stringify({ data: { "tls.key": privateKeyPem } }),
    inside: `a comment\n${privateKeyPem}more`,
    aligned: `QUJDR${pkcs8.toBase64()}`,
    base64Twice: btoa(pkcs8.toBase64()),
    utf16: Buffer.from(privateKeyPem, "utf16le").toString("base64"),
    opensslText: `Private-Key: (256 bit)\npriv:\n    ${number.match(/../g)!.join(":")}\npub:\n    04:00`,
    jwkEscaped: encodeURIComponent(jwk),
    xml: `<RSAKeyValue><Modulus>AA==</Modulus><D>${
      Buffer.from(number, "hex").toString("base64")
    }</D></RSAKeyValue>`,
    bytes: JSON.stringify([...pkcs8]),
    inSan: await carrying(ext.subjectAltName([`URI:${privateKeyPem}`])),
    inName: (await root.issue({ subject: [["CN", pkcs8.toBase64()]], key: "p256" })).pem,
    inExtension: await carrying({ oid: "1.2.3.4.5", value: pkcs8 }),
  };
}

/** Number of other keys for each field, in addition to the usual one. */
const OTHERS = 3;

/**
 * Returns a function that returns keys for the next field or form: the usual one, and some of the others in turn. Which
 * texts are keys does not depend on the field (`tests/x509/key_guard_forms_test.ts`), so not every field needs all.
 */
export function keysInTurn(keys: Readonly<Record<string, string>>): () => [form: string, key: string][] {
  const [usual, ...others] = Object.entries(keys);
  let turn = 0;
  return () =>
    [usual, ...Array.from({ length: OTHERS }, () => others[turn++ % others.length])] as [
      string,
      string,
    ][];
}
