/** Servers of openssl with different faults, from the handshake to the state of the endpoint. */

import assert from "node:assert/strict";
import { probeBySockets } from "../../../src/probe/probe_by_sockets.ts";
import { TestCa, type TestCertificate } from "../../support/test_ca/mod.ts";
import { freePort } from "../../support/loopback.ts";
import { opensslServer, type Served, type TlsServer } from "../../support/tls_servers.ts";
import { probed, type Site, startSite } from "./support.ts";

const HOST = "real.example";
const root = await TestCa.root({ cn: "Real Root", key: "rsa2048" });
const ca = await root.intermediate({ cn: "Real CA", key: "rsa2048" });
const stranger = await TestCa.root({ cn: "Stranger", key: "rsa2048" });

/** The application's clock is at 15 June 2026. */
const issue = (more: { cn?: string; notBefore?: string; notAfter?: string } = {}): Promise<TestCertificate> =>
  ca.issue({ cn: HOST, key: "rsa2048", notBefore: "2026-01-01", notAfter: "2026-12-31", ...more });
const good = await issue();

/** Starts an application that probes, in which names resolve to the addresses of the servers. */
async function realSite(addresses: readonly string[]): Promise<Site> {
  const probing = {
    allowedNetworks: ["127.0.0.0/8"],
    concurrency: 8,
    discover: "create" as const,
    retentionDays: 400,
  };
  const site = await startSite({
    settings: { probing },
    probe: (target, options) =>
      probeBySockets(target, { ...options, totalMs: 5_000, resolve: () => Promise.resolve(addresses) }),
  });
  const authority = { name: "Real Root", type: "internal", pem_content: root.pem };
  await site.ask("certificate-authorities/", authority);
  return site;
}

const CASES:
  readonly (readonly [what: string, served: Served, states: readonly string[], message: RegExp])[] = [
    ["without any fault", { leaf: good, chain: [ca] }, ["ok"], /as expected/],
    [
      "with an expired certificate",
      { leaf: await issue({ notAfter: "2026-05-31" }), chain: [ca] },
      ["expired"],
      /expired on 2026-05-31/,
    ],
    [
      "with a certificate for another name",
      { leaf: await issue({ cn: "other.example" }), chain: [ca] },
      ["name_mismatch"],
      /not for real\.example/,
    ],
    ["that leaves out the intermediate", { leaf: good }, ["incomplete_chain"], /neither sent, nor/],
    ["with further certificates", { leaf: good, chain: [stranger, ca, ca] }, ["ok"], /as expected/],
    [
      "of an authority that is not tracked",
      { leaf: await stranger.issue({ cn: HOST, key: "rsa2048" }), chain: [stranger] },
      ["untrusted"],
      /Stranger/,
    ],
    [
      "that speaks only TLS 1.1",
      { leaf: good, chain: [ca], args: ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"] },
      ["tls_error"],
      /only TLS 1\.1/,
    ],
  ];

for (const [what, served, states, message] of CASES) {
  Deno.test(`an endpoint ${what} is ${states.join(" and ")}`, async () => {
    await using server = await opensslServer(served);
    await using site = await realSite([server.address]);
    const endpoint = await probed(site, HOST, { port: server.port });
    assert.deepEqual(endpoint.states, states);
    assert.match(String(endpoint.state_message), message);
    const { presented } = endpoint.observation as { presented: string[] };
    assert.equal(presented.length, 1 + (served.chain?.length ?? 0));
  });
}

Deno.test("each server name of one address has the state of its own certificate", async () => {
  const other = await issue({ cn: "second.example", notAfter: "2026-06-01" });
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(`${folder}/second.pem`, other.pem + other.key.privateKeyPem);
  await using server = await opensslServer({
    leaf: good,
    chain: [ca],
    args: [
      ...["-servername", "second.example", "-cert2", `${folder}/second.pem`, "-key2", `${folder}/second.pem`],
    ],
  });
  await Deno.remove(folder, { recursive: true });
  await using site = await realSite([server.address]);
  const first = await probed(site, HOST, { port: server.port });
  const second = await probed(site, HOST, { port: server.port, server_name: "second.example" });
  assert.equal(first.state, "ok");
  assert.equal(second.state, "expired");
});

Deno.test("addresses of one name with different certificates are a finding, and the worst decides", async () => {
  const port = freePort("127.0.0.41");
  const start = (leaf: TestCertificate, address: string): Promise<TlsServer> =>
    opensslServer({ leaf, chain: [ca], address, port });
  await using first = await start(good, "127.0.0.41");
  await using second = await start(await issue({ notAfter: "2026-06-01" }), "127.0.0.42");
  await using site = await realSite([first.address, second.address]);
  const endpoint = await probed(site, HOST, { port });
  assert.deepEqual([endpoint.state, endpoint.addresses_differ], ["expired", true]);
  const { results } = await site.ask(`observations/?endpoint_id=${endpoint.id}&ordering=address`);
  assert.deepEqual(
    (results as Record<string, unknown>[]).map(({ address, state }) => [address, state]),
    [["127.0.0.41", "ok"], ["127.0.0.42", "expired"]],
  );
});

Deno.test("a stapled OCSP response is shown", async () => {
  const folder = await Deno.makeTempDir();
  // openssl sends the file unchanged.
  await Deno.writeFile(`${folder}/response.der`, Uint8Array.from([0x30, 0x03, 0x0a, 0x01, 0x06]));
  await using server = await opensslServer({
    leaf: good,
    chain: [ca],
    args: ["-status", "-status_file", `${folder}/response.der`],
  });
  await using site = await realSite([server.address]);
  const endpoint = await probed(site, HOST, { port: server.port });
  await Deno.remove(folder, { recursive: true });
  assert.equal((endpoint.observation as { ocsp_stapled: boolean }).ocsp_stapled, true);
});
