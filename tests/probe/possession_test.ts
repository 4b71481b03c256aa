/** Whether a server proves that it has the key of the certificate that it presents. */

import assert from "node:assert/strict";
import { createServer } from "node:tls";
import { probeBySockets } from "../../src/probe/probe_by_sockets.ts";
import type { Presented, ProbeProtocol } from "../../src/probe/mod.ts";
import { keylessServer, strangersKey } from "../support/keyless_server.ts";
import { type KeyKind, TestCa } from "../support/test_ca/mod.ts";
import { opensslServer, scriptedServer } from "../support/tls_servers.ts";

const HOST = "www.acme.example";
const root = await TestCa.root({ cn: "Root" });
const rsa = await root.issue({ cn: HOST, key: "rsa2048" });
const leaf = await root.issue({ cn: HOST, key: "p256" });

async function probe(
  { address, port }: { address: string; port: number },
  protocol: ProbeProtocol = "tls",
): Promise<Presented> {
  const target = { host: address, port, serverName: HOST, protocol };
  const [answer] = await probeBySockets(target, {
    allowedNetworks: ["127.0.0.0/8"],
  });
  assert.equal(answer?.failure, undefined);
  return answer?.presented as Presented;
}

const PROVEN: readonly (readonly [key: KeyKind, ...args: readonly string[]])[] = [
  ["rsa2048"],
  ["rsa2048", "-groups", "P-384"],
  ["rsa2048", "-groups", "X448"],
  ["rsa2048", "-ciphersuites", "TLS_AES_256_GCM_SHA384"],
  ["rsa2048", "-Verify", "1"],
  ["p256"],
  ["p384"],
  ["p521"],
  ["ed25519"],
  ["rsa2048", "-tls1_2"],
  ["rsa2048", "-tls1_2", "-sigalgs", "RSA+SHA512"],
  ["rsa2048", "-tls1_2", "-sigalgs", "RSA+SHA224"],
  ["rsa2048", "-tls1_2", "-cipher", "ECDHE-RSA-AES256-SHA384"],
  ["rsa2048", "-tls1_2", "-cipher", "DHE-RSA-AES128-GCM-SHA256"],
  ["rsa2048", "-tls1_2", "-curves", "X448"],
  ["rsa2048", "-tls1_2", "-curves", "brainpoolP384r1"],
  ["rsa2048", "-tls1_2", "-curves", "secp256k1"],
  ["rsa2048", "-tls1_2", "-Verify", "1"],
  ["ed25519", "-tls1_2"],
];
for (const [key, ...args] of PROVEN) {
  Deno.test(`a server with a key ${key} (${args.join(" ") || "default"}) proves that it has it`, async () => {
    const certificate = await root.issue({ cn: HOST, key });
    await using server = await opensslServer({ leaf: certificate, args });
    const { certificates, ...presented } = await probe(server);
    assert.equal(certificates[0]?.toHex(), certificate.der.toHex());
    assert.equal(presented.possession, "proven", presented.cipher);
    assert.doesNotMatch(presented.cipher, /^0x/);
    assert.equal(presented.fault, undefined);
  });
}

for (const kind of ["ed448", "rsa-pss"]) {
  Deno.test(`a server with a key ${kind} proves that it has it`, async () => {
    const args = [
      "req",
      "-x509",
      "-nodes",
      "-newkey",
      kind,
      "-subj",
      `/CN=${HOST}`,
      "-keyout",
      "-",
    ];
    const { stdout } = await new Deno.Command("openssl", {
      args,
      stderr: "null",
    }).output();
    const pem = new TextDecoder().decode(stdout);
    const certificate = {
      ...leaf,
      pem,
      key: { ...leaf.key, privateKeyPem: pem },
    };
    for (const version of ["-tls1_2", "-tls1_3"]) {
      await using server = await opensslServer({
        leaf: certificate,
        args: [version],
      });
      assert.equal((await probe(server)).possession, "proven");
    }
  });
}

for (
  const [cipher, ...args] of [
    ["AES128-SHA256"],
    ["AES256-SHA256"],
    ["AES256-GCM-SHA384"],
    ["ALL:@SECLEVEL=0", "-tls1_1"],
  ] as const
) {
  Deno.test(`a server with ${cipher} ${args.join(" ")} shows its certificate, but proves nothing`, async () => {
    await using server = await opensslServer({
      leaf: rsa,
      args: [args[0] ?? "-tls1_2", "-cipher", cipher],
    });
    const { possession, fault, certificates } = await probe(server);
    assert.deepEqual([possession, fault, certificates.length], [
      "unproven",
      undefined,
      1,
    ]);
  });
}

Deno.test("a server of node:tls proves that it has its key", async () => {
  const server = createServer(
    { cert: leaf.pem, key: leaf.key.privateKeyPem },
    (socket) => socket.end(),
  );
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = server.address() as { port: number };
    assert.equal(
      (await probe({ address: "127.0.0.1", port })).possession,
      "proven",
    );
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});

for (const version of ["TLS 1.2", "TLS 1.3"] as const) {
  Deno.test(`a server without the key (${version}) proves nothing`, async () => {
    const cases = [
      [leaf.key, "proven", undefined],
      [
        await strangersKey(),
        "unproven",
        "The server does not prove that it has the key of its certificate.",
      ],
      [undefined, "unproven", "The server does not sign the handshake."],
    ] as const;
    for (const [key, possession, fault] of cases) {
      await using server = keylessServer({ chain: [leaf, root], version, key });
      const presented = await probe(server);
      assert.equal(presented.tlsVersion, version);
      assert.deepEqual(presented.certificates, [leaf.der, root.der]);
      assert.deepEqual([presented.possession, presented.fault], [
        possession,
        fault,
      ]);
    }
  });
}

Deno.test("a warning and a HelloRequest before the hello do not end a handshake of TLS 1.2; a closed connection does", async () => {
  await using behind = await opensslServer({ leaf, args: ["-tls1_2"] });
  const relayed = (first: readonly number[]) =>
    scriptedServer(async (connection) => {
      await connection.write(Uint8Array.from(first));
      const server = await Deno.connect({
        hostname: behind.address,
        port: behind.port,
      });
      await Promise.allSettled([
        connection.readable.pipeTo(server.writable),
        server.readable.pipeTo(connection.writable),
      ]);
    });
  for (
    const first of [[21, 3, 1, 0, 2, 1, 112], [22, 3, 1, 0, 4, 0, 0, 0, 0], [
      21,
      3,
      3,
      0,
      2,
      1,
      110,
    ]]
  ) {
    await using server = relayed(first);
    assert.equal((await probe(server)).possession, "proven");
  }
  for (const last of [[21, 3, 1, 0, 2, 1, 0], [21, 3, 1, 0, 2, 2, 112]]) {
    await using server = relayed(last);
    const target = {
      host: server.address,
      port: server.port,
      serverName: HOST,
      protocol: "tls",
    } as const;
    const [answer] = await probeBySockets(target, {
      allowedNetworks: ["127.0.0.0/8"],
    });
    assert.match(answer?.failure?.message ?? "", /TLS alert (0|112)/);
  }
});

Deno.test("a server that does not know the server name, with a warning or an alert", async () => {
  const names = ["-servername", "other.example", "-cert2", "", "-key2", ""];
  const folder = await Deno.makeTempDir();
  names[3] = `${folder}/cert.pem`;
  names[5] = `${folder}/key.pem`;
  await Deno.writeTextFile(names[3], rsa.pem);
  await Deno.writeTextFile(names[5], rsa.key.privateKeyPem);
  await using warning = await opensslServer({
    leaf: rsa,
    args: ["-tls1_2", ...names],
  });
  assert.equal((await probe(warning)).possession, "proven");
  await using fatal = await opensslServer({
    leaf: rsa,
    args: [...names, "-servername_fatal"],
  });
  const target = {
    host: fatal.address,
    port: fatal.port,
    serverName: HOST,
    protocol: "tls",
  } as const;
  const [answer] = await probeBySockets(target, {
    allowedNetworks: ["127.0.0.0/8"],
  });
  assert.match(answer?.failure?.message ?? "", /does not know the server name/);
  await Deno.remove(folder, { recursive: true });
});
