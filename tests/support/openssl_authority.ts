/** An authority that openssl runs: it issues, revokes, makes lists and answers OCSP requests. */

import { type Certificate, encodePem, parseCertificate } from "../../src/x509/mod.ts";
import { openssl, opensslBytes } from "./openssl.ts";

const KEYS = {
  rsa: ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
  ec: ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
  ed25519: ["-algorithm", "ED25519"],
} as const;

export type AuthorityKey = keyof typeof KEYS;

export interface IssuedCertificate {
  readonly pem: string;
  readonly certificate: Certificate;
  /** Path of the file. */
  readonly path: string;
}

/** An authority in a folder of its own. */
export class OpensslAuthority {
  readonly #key: AuthorityKey;
  readonly folder: string;
  #issued = 0;
  root!: IssuedCertificate;

  private constructor(folder: string, key: AuthorityKey) {
    this.folder = folder;
    this.#key = key;
  }

  /** Creates an authority whose root is valid for ten years from now. */
  static async create(
    key: AuthorityKey,
    { name = `${key} authority` }: { name?: string } = {},
  ): Promise<OpensslAuthority> {
    const folder = await Deno.makeTempDir({ prefix: "certmgr-authority-" });
    const authority = new OpensslAuthority(folder, key);
    await Promise.all([
      Deno.writeTextFile(`${folder}/index.txt`, ""),
      Deno.writeTextFile(`${folder}/index.txt.attr`, "unique_subject = no\n"),
      Deno.writeTextFile(`${folder}/serial`, "1000\n"),
      Deno.writeTextFile(`${folder}/crlnumber`, "01\n"),
      Deno.writeTextFile(`${folder}/extra.cnf`, ""),
    ]);
    await authority.#configure("");
    const path = `${folder}/ca.pem`;
    await openssl(["genpkey", ...KEYS[key], "-out", `${folder}/ca.key`]);
    await openssl([
      ...["req", "-x509", "-new", "-key", `${folder}/ca.key`, "-subj", `/CN=${name}`, "-days", "3650"],
      ...["-config", authority.#config, "-extensions", "authority", "-out", path],
    ]);
    authority.root = await read(path);
    return authority;
  }

  get #config(): string {
    return `${this.folder}/openssl.cnf`;
  }

  async #configure(leaf: string): Promise<void> {
    await Deno.writeTextFile(
      this.#config,
      `[req]
distinguished_name = name
[name]
[authority]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign,cRLSign
subjectKeyIdentifier = hash
[leaf]
basicConstraints = CA:FALSE
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
${leaf}
[list]
authorityKeyIdentifier = keyid
[ca]
default_ca = this
[this]
dir = ${this.folder}
database = $dir/index.txt
new_certs_dir = $dir
serial = $dir/serial
crlnumber = $dir/crlnumber
certificate = $dir/ca.pem
private_key = $dir/ca.key
default_md = ${this.#key === "ed25519" ? "null" : "sha256"}
default_days = 90
default_crl_days = 7
policy = policy
crl_extensions = list
[policy]
commonName = supplied
`,
    );
  }

  /** Issues a certificate with these lines in its extensions. */
  async issue(cn: string, extensions = ""): Promise<IssuedCertificate & { keyPath: string }> {
    await this.#configure(extensions);
    const base = `${this.folder}/leaf${++this.#issued}`;
    await openssl(["genpkey", ...KEYS[this.#key], "-out", `${base}.key`]);
    const request = ["req", "-new", "-key", `${base}.key`, "-subj", `/CN=${cn}`, "-config", this.#config];
    await openssl([...request, "-out", `${base}.csr`]);
    await openssl([
      ...["ca", "-batch", "-notext", "-config", this.#config, "-extensions", "leaf"],
      ...["-in", `${base}.csr`, "-out", `${base}.pem`],
    ]);
    return { ...await read(`${base}.pem`), keyPath: `${base}.key` };
  }

  /** Revokes a certificate, for a reason in OpenSSL's words. */
  async revoke({ path }: IssuedCertificate, reason = "keyCompromise"): Promise<void> {
    await openssl(["ca", "-config", this.#config, "-revoke", path, "-crl_reason", reason]);
  }

  /** Takes a certificate off hold, which OpenSSL can do only by an edit of its database. */
  async release({ certificate }: IssuedCertificate): Promise<void> {
    const path = `${this.folder}/index.txt`;
    const serial = certificate.serial.toHex().toUpperCase();
    const lines = (await Deno.readTextFile(path)).split("\n").map((line) => {
      const cells = line.split("\t");
      return cells[3] === serial ? ["V", cells[1], "", ...cells.slice(3)].join("\t") : line;
    });
    await Deno.writeTextFile(path, lines.join("\n"));
  }

  /** Returns the current list. */
  async list(...args: string[]): Promise<Uint8Array> {
    const pem = await openssl(["ca", "-config", this.#config, "-gencrl", ...args]);
    return Uint8Array.fromBase64(pem.replace(/-----[^-]+-----|\s/g, ""));
  }

  /** Returns the response to a request; signed by the root unless a responder is given. */
  async respond(
    request: Uint8Array,
    { signer = { path: `${this.folder}/ca.pem`, keyPath: `${this.folder}/ca.key` }, args = ["-ndays", "3"] }:
      {
        signer?: { path: string; keyPath: string };
        args?: readonly string[];
      } = {},
  ): Promise<Uint8Array> {
    const base = await Deno.makeTempFile({ dir: this.folder });
    await Deno.writeFile(`${base}.req`, request);
    await openssl([
      ...["ocsp", "-index", `${this.folder}/index.txt`, "-CA", `${this.folder}/ca.pem`],
      ...[
        "-rsigner",
        signer.path,
        "-rkey",
        signer.keyPath,
        "-reqin",
        `${base}.req`,
        "-respout",
        `${base}.resp`,
      ],
      ...args,
    ]);
    return await Deno.readFile(`${base}.resp`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.folder, { recursive: true });
  }
}

async function read(path: string): Promise<IssuedCertificate> {
  const der = await opensslBytes(["x509", "-in", path, "-outform", "DER"]);
  const { certificate } = parseCertificate(der);
  if (certificate === undefined) throw new Error(`${path} is not a certificate`);
  return { pem: encodePem(der), certificate, path };
}
