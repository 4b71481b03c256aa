/** Probes of real servers: presented certificates in their order, and errors. */

import assert from "node:assert/strict";
import { probeBySockets } from "../../src/probe/probe_by_sockets.ts";
import type { ProbeAnswer, ProbeProtocol, ProbeTarget } from "../../src/probe/mod.ts";
import { cpuMillis } from "../support/cpu_time.ts";
import { freePort, ownAddress } from "../support/loopback.ts";
import { speak } from "../support/starttls.ts";
import { TestCa } from "../support/test_ca/mod.ts";
import { opensslServer, relay, scriptedServer, type TlsServer } from "../support/tls_servers.ts";

const HOST = "www.acme.example";
const root = await TestCa.root({ cn: "Root", key: "rsa2048" });
const ca = await root.intermediate({ cn: "Acme CA", key: "rsa2048" });
const leaf = await ca.issue({ cn: HOST, key: "rsa2048" });

async function probe(
  { address, port }: { address: string; port: number },
  options: Partial<ProbeTarget> & { totalMs?: number } = {},
): Promise<ProbeAnswer> {
  const { totalMs, ...target } = options;
  const [answer] = await probeBySockets(
    { host: address, port, serverName: HOST, protocol: "tls", ...target },
    {
      allowedNetworks: ["127.0.0.0/8"],
      ...(totalMs === undefined ? {} : { totalMs }),
    },
  );
  return answer as ProbeAnswer;
}

function fingerprints(answer: ProbeAnswer): string[] {
  return (answer.presented?.certificates ?? []).map((der) => der.toHex());
}

const VERSIONS: readonly [string, string[], RegExp][] = [
  ["TLS 1.3", [], /^TLS_AES_128_GCM_SHA256$/],
  [
    "TLS 1.3",
    ["-ciphersuites", "TLS_AES_256_GCM_SHA384"],
    /^TLS_AES_256_GCM_SHA384$/,
  ],
  [
    "TLS 1.3",
    ["-ciphersuites", "TLS_CHACHA20_POLY1305_SHA256"],
    /^TLS_CHACHA20_POLY1305_SHA256$/,
  ],
  // These groups make the server send a HelloRetryRequest.
  ["TLS 1.3", ["-groups", "P-384"], /AES/],
  ["TLS 1.3", ["-groups", "P-521"], /AES/],
  ["TLS 1.2", ["-tls1_2"], /^TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256$/],
  [
    "TLS 1.2",
    ["-tls1_2", "-cipher", "AES128-SHA"],
    /^TLS_RSA_WITH_AES_128_CBC_SHA$/,
  ],
  ["TLS 1.1", ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"], /CBC/],
  ["TLS 1.0", ["-tls1", "-cipher", "ALL:@SECLEVEL=0"], /CBC/],
];
for (const [version, args, cipher] of VERSIONS) {
  Deno.test(`a server with ${version} (${args.join(" ") || "default"}) shows its certificates in the order presented`, async () => {
    await using server = await opensslServer({ leaf, chain: [ca, root], args });
    const answer = await probe(server);
    assert.equal(answer.failure, undefined);
    assert.equal(answer.presented?.tlsVersion, version);
    assert.match(answer.presented?.cipher ?? "", cipher);
    assert.deepEqual(
      fingerprints(answer),
      [leaf, ca, root].map(({ der }) => der.toHex()),
    );
    assert.ok((answer.latencyMs as number) >= 0);
  });
}

for (const args of [[], ["-tls1_2"]]) {
  Deno.test(`extra, unrelated and misplaced certificates are shown (${args.join() || "TLS 1.3"})`, async () => {
    const stranger = await TestCa.root({ cn: "Stranger" });
    await using server = await opensslServer({
      leaf,
      chain: [stranger, ca, ca],
      args,
    });
    assert.deepEqual(
      fingerprints(await probe(server)),
      [leaf, stranger, ca, ca].map(({ der }) => der.toHex()),
    );
  });
}

Deno.test("the certificate follows the server name, and none is sent for an address", async () => {
  const other = await ca.issue({ cn: "other.acme.example", key: "rsa2048" });
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(`${folder}/c.pem`, other.pem);
  await Deno.writeTextFile(`${folder}/k.pem`, other.key.privateKeyPem);
  const args = [
    "-servername",
    "other.acme.example",
    "-cert2",
    `${folder}/c.pem`,
    "-key2",
    `${folder}/k.pem`,
  ];
  await using server = await opensslServer({ leaf, args });
  assert.deepEqual(
    fingerprints(await probe(server, { serverName: "other.acme.example" })),
    [other.der.toHex()],
  );
  assert.deepEqual(fingerprints(await probe(server)), [leaf.der.toHex()]);
  assert.deepEqual(
    fingerprints(await probe(server, { serverName: "127.0.0.1" })),
    [leaf.der.toHex()],
  );
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a negotiated application protocol is shown, and a refused one is not a failure", async () => {
  await using web = await opensslServer({ leaf, args: ["-alpn", "http/1.1"] });
  assert.equal((await probe(web)).presented?.alpn, "http/1.1");
  await using other = await opensslServer({
    leaf,
    args: ["-alpn", "acme-tls/1"],
  });
  assert.deepEqual(fingerprints(await probe(other)), [leaf.der.toHex()]);
});

Deno.test("a server that demands a client certificate shows its own", async () => {
  for (const args of [["-Verify", "1"], ["-Verify", "1", "-tls1_2"]]) {
    await using server = await opensslServer({ leaf, args });
    assert.deepEqual(fingerprints(await probe(server)), [leaf.der.toHex()]);
  }
});

const FAULTS: readonly [
  string,
  (connection: Deno.TcpConn) => Promise<void>,
  RegExp,
][] = [
  [
    "closes at once",
    () => Promise.resolve(),
    /closed the connection|reset the connection/,
  ],
  ["closes in the middle of a record", async (connection) => {
    await connection.read(new Uint8Array(4_096));
    await connection.write(Uint8Array.from([22, 3, 3, 1, 0, 2, 0, 0]));
  }, /closed the connection/],
  ["speaks another protocol", async (connection) => {
    await connection.read(new Uint8Array(4_096));
    await connection.write(
      new TextEncoder().encode("HTTP/1.1 400 Bad Request\r\n\r\n"),
    );
  }, /does not speak TLS/],
  ["sends an alert", async (connection) => {
    await connection.read(new Uint8Array(4_096));
    await connection.write(Uint8Array.from([21, 3, 3, 0, 2, 2, 112]));
  }, /does not know the server name \(TLS alert 112\)/],
  ["announces a message that is too long", async (connection) => {
    await connection.read(new Uint8Array(4_096));
    await connection.write(Uint8Array.from([22, 3, 3, 0, 4, 2, 255, 255, 255]));
  }, /too long/],
  ["sends a hello that ends too early", async (connection) => {
    await connection.read(new Uint8Array(4_096));
    await connection.write(Uint8Array.from([22, 3, 3, 0, 6, 2, 0, 0, 2, 3, 3]));
  }, /malformed/],
];
for (const [what, script, message] of FAULTS) {
  Deno.test(`a server that ${what} is a TLS error`, async () => {
    await using server = scriptedServer(script);
    const { failure } = await probe(server);
    assert.equal(failure?.kind, "tls_error");
    assert.match(failure?.message ?? "", message);
  });
}

Deno.test("the connection to a server that sends endless bytes is closed", async () => {
  await using server = scriptedServer(async (connection) => {
    // Records that are skipped.
    const record = new Uint8Array(16_389);
    record.set([20, 3, 3, 0x40, 0]);
    for (;;) await connection.write(record);
  });
  const { failure } = await probe(server);
  assert.match(failure?.message ?? "", /too much/);
});

for (
  const [protocol, first, rest] of [
    ["smtp", "220-", "x"],
    ["imap", "* OK ", "x"],
    ["xmpp", "", "<stream:features"],
    ["xmpp", "<stream:features><starttls/></stream:features>", "<proceed"],
  ] as const
) {
  Deno.test(`a server that speaks ${protocol} and sends ${rest} again and again, in a reply without an end, is refused`, async () => {
    await using server = scriptedServer(async (connection) => {
      const text = new TextEncoder();
      await connection.write(text.encode(first));
      if (protocol === "xmpp") await connection.read(new Uint8Array(4_096));
      if (first.startsWith("<")) await connection.read(new Uint8Array(4_096));
      await connection.write(
        text.encode(rest.repeat(8_000).padEnd(40_000, rest)),
      );
      await connection.read(new Uint8Array(4_096));
    });
    const { failure } = await probe(server, { protocol });
    assert.equal(failure?.kind, "tls_error");
    assert.match(failure?.message ?? "", /reply is too long/);
  });
}

Deno.test("a handshake message whose last records are empty takes little time", async () => {
  const record = (content: Uint8Array | readonly number[]): Uint8Array =>
    Uint8Array.from([
      22,
      3,
      3,
      content.length >> 8,
      content.length & 255,
      ...content,
    ]);
  const hello = record([
    2,
    0,
    0,
    38,
    3,
    3,
    ...new Uint8Array(32),
    0,
    0xc0,
    0x2f,
    0,
  ]);
  const begun = record([11, 3, 255, 255]);
  const parts = Array(14).fill(record(new Uint8Array(16_000)));
  const last = record([]);
  const empty = new Uint8Array(50_000 * last.length).map((_, index) => last[index % last.length] as number);
  await using server = scriptedServer(async (connection) => {
    for (const sent of [hello, begun, ...parts, empty]) {
      for (let at = 0; at < sent.length;) {
        at += await connection.write(sent.subarray(at));
      }
    }
  });
  const before = cpuMillis();
  const { failure } = await probe(server);
  assert.match(
    failure?.message ?? "",
    /closed the connection|reset the connection/,
  );
  const used = cpuMillis() - before;
  assert(used < 1_000, `${used} ms`);
});

Deno.test("a slow handshake ends at the deadline", async () => {
  await using server = scriptedServer(async (connection) => {
    await connection.read(new Uint8Array(4_096));
    await connection.read(new Uint8Array(1));
  });
  const started = performance.now();
  const { failure } = await probe(server, { totalMs: 300 });
  assert.equal(failure?.kind, "tls_error");
  assert.match(failure?.message ?? "", /not complete after 0.3 seconds/);
  assert.ok(performance.now() - started < 5_000);
});

Deno.test("a port where nothing listens is unreachable", async () => {
  const address = ownAddress();
  const { failure } = await probe({ address, port: freePort(address) });
  assert.deepEqual(failure, {
    kind: "unreachable",
    message: "The connection was refused.",
  });
});

for (
  const [address, message] of [
    [
      "10.0.0.1",
      /^10\.0\.0\.1 is a private address\. Add its network to CERTMGR_PROBE_ALLOWED_NETWORKS/,
    ],
    ["::1", /^::1 is a loopback address/],
    ["169.254.169.254", /metadata service, which is never probed/],
    ["168.63.129.16", /metadata service/],
    ["fd00:ec2::254", /metadata service/],
  ] as const
) {
  Deno.test(`no connection is made to ${address}`, async () => {
    const allowedNetworks = address.startsWith("1") && !address.startsWith("10.") ||
        address.startsWith("f")
      ? ["0.0.0.0/0", "::/0"]
      : [];
    const [answer] = await probeBySockets(
      {
        host: "a.example",
        port: 443,
        serverName: "a.example",
        protocol: "tls",
      },
      { allowedNetworks, resolve: () => Promise.resolve([address]) },
    );
    assert.deepEqual([answer?.failure?.kind, answer?.failure?.reason], ["unreachable", "not_allowed"]);
    assert.match(answer?.failure?.message ?? "", message);
  });
}

Deno.test("all addresses of a name are probed separately, at most 8", async () => {
  const other = await ca.issue({ cn: HOST, key: "rsa2048" });
  await using first = await opensslServer({ leaf, address: "127.0.0.1" });
  await using second = await opensslServer({
    leaf: other,
    address: "127.0.0.2",
    port: first.port,
  });
  const target = {
    host: HOST,
    port: first.port,
    serverName: HOST,
    protocol: "tls",
  } as const;
  const allowedNetworks = ["127.0.0.0/8"];
  const answers = await probeBySockets(target, {
    allowedNetworks,
    resolve: () => Promise.resolve([first.address, second.address, first.address]),
  });
  assert.deepEqual(answers.map(fingerprints), [[leaf.der.toHex()], [
    other.der.toHex(),
  ]]);
  const many = Array.from({ length: 20 }, (_, index) => `10.0.0.${index}`);
  const refused = await probeBySockets(target, {
    allowedNetworks,
    resolve: () => Promise.resolve(many),
  });
  assert.equal(refused.length, 8);
});

Deno.test("a name without an address is unreachable", async () => {
  const target = {
    host: HOST,
    port: 443,
    serverName: HOST,
    protocol: "tls",
  } as const;
  for (
    const resolve of [
      () => Promise.reject(new Error("x")),
      () => Promise.resolve([]),
    ]
  ) {
    const answers = await probeBySockets(target, {
      allowedNetworks: [],
      resolve,
    });
    assert.deepEqual(
      answers.map(({ address, failure }) => [address, failure?.kind]),
      [["", "unreachable"]],
    );
  }
});

const STARTTLS: readonly ProbeProtocol[] = [
  "smtp",
  "imap",
  "pop3",
  "ldap",
  "postgres",
  "mysql",
  "xmpp",
  "xmpp-server",
  "ftp",
];
for (const protocol of STARTTLS) {
  Deno.test(`a server that speaks ${protocol} presents its certificate after STARTTLS`, async () => {
    await using behind = await opensslServer({ leaf, chain: [ca] });
    await using server = starttlsServer(protocol, behind);
    const answer = await probe(server, { protocol });
    assert.equal(answer.failure, undefined);
    assert.deepEqual(
      fingerprints(answer),
      [leaf, ca].map(({ der }) => der.toHex()),
    );
  });
  Deno.test(`a server that speaks ${protocol} without STARTTLS is a TLS error with that reason`, async () => {
    await using behind = await opensslServer({ leaf });
    await using server = starttlsServer(protocol, behind, { refuses: true });
    const { failure } = await probe(server, { protocol });
    assert.equal(failure?.kind, "tls_error");
    assert.match(failure?.message ?? "", /STARTTLS|does not offer TLS/);
  });
}

/** Bytes of a successful ExtendedResponse: result code, matched DN, message. */
const STARTED = [0x78, 7, 0x0a, 1, 0, 4, 0, 4, 0];
const TEXT = [...new TextEncoder().encode("\x78\x07\x0a\x01\x00 refused")];
const LDAP: readonly (readonly [string, readonly number[], RegExp | undefined])[] = [
  ["with lengths in long form", [
    0x30,
    0x84,
    0,
    0,
    0,
    12,
    2,
    1,
    1,
    ...STARTED,
  ], undefined],
  ["with a name of the response", [
    ...[0x30, 36, 2, 1, 1, 0x78, 31, 0x0a, 1, 0, 4, 0, 4, 0, 0x8a, 22],
    ...new TextEncoder().encode("1.3.6.1.4.1.1466.20037"),
  ], undefined],
  ["after a notification", [
    ...[0x30, 12, 2, 1, 0, 0x78, 7, 0x0a, 1, 52, 4, 0, 4, 0],
    ...[0x30, 12, 2, 1, 1, ...STARTED],
  ], undefined],
  ["with the id in two bytes", [0x30, 13, 2, 2, 0, 1, ...STARTED], undefined],
  ["that refuses, with the bytes of a success in its message", [
    ...[
      0x30,
      14 + TEXT.length - 2,
      2,
      1,
      1,
      0x78,
      7 + TEXT.length,
      0x0a,
      1,
      52,
      4,
      0,
      4,
      TEXT.length,
    ],
    ...TEXT,
  ], /refused STARTTLS \(code 52\)/],
  [
    "to another request",
    [0x30, 12, 2, 1, 1, 0x65, 7, 0x0a, 1, 0, 4, 0, 4, 0],
    /does not speak LDAP/,
  ],
  ["that is too long", [0x30, 0x83, 1, 0, 0], /too long/],
  ["that ends too early", [0x30, 5, 2, 1, 1, 0x78, 9], /malformed/],
];
for (const [what, answer, refused] of LDAP) {
  Deno.test(`an answer of LDAP ${what}`, async () => {
    await using behind = await opensslServer({ leaf });
    await using server = scriptedServer(async (connection) => {
      await connection.read(new Uint8Array(4_096));
      await connection.write(Uint8Array.from(answer));
      await relay(connection, behind);
    });
    const { failure, presented } = await probe(server, { protocol: "ldap" });
    if (refused === undefined) {
      assert.equal(presented?.possession, "proven", String(failure?.message));
    } else assert.match(failure?.message ?? "", refused);
  });
}

function starttlsServer(
  protocol: ProbeProtocol,
  behind: TlsServer,
  options: { refuses?: boolean } = {},
): TlsServer {
  return scriptedServer((connection) => speak(connection, { protocol, behind, ...options }));
}
