/** The states of endpoints, from what their servers present. */

import assert from "node:assert/strict";
import { TestCa, type TestCertificate } from "../../support/test_ca/mod.ts";
import { presenting, probed, type Site, startSite, UNREACHABLE } from "./support.ts";

const HOST = "www.probe.example";

interface Case {
  readonly presents: (site: Site) => Promise<readonly TestCertificate[]>;
  readonly states: readonly string[];
  readonly message: RegExp;
}

async function issued(
  { ca }: Site,
  input: Parameters<TestCa["issue"]>[0] = {},
): Promise<TestCertificate> {
  return await ca.issue({ cn: HOST, ...input });
}

const CASES: Readonly<Record<string, Case>> = {
  "a trusted certificate for the host": {
    presents: async (site) => [await issued(site), site.ca],
    states: ["ok"],
    message: /^The certificate is as expected\.$/,
  },
  "a certificate with a wildcard for the host": {
    presents: async (
      site,
    ) => [
      await issued(site, { cn: "*.probe.example", sans: ["*.probe.example"] }),
      site.ca,
    ],
    states: ["ok"],
    message: /as expected/,
  },
  "an expired certificate": {
    presents: async (
      site,
    ) => [
      await issued(site, { notBefore: "2026-01-01", notAfter: "2026-06-01" }),
      site.ca,
    ],
    states: ["expired"],
    message: /expired on 2026-06-01/,
  },
  "a certificate that is not valid yet": {
    presents: async (
      site,
    ) => [
      await issued(site, { notBefore: "2026-07-01", notAfter: "2026-12-01" }),
      site.ca,
    ],
    states: ["not_yet_valid"],
    message: /not valid before 2026-07-01/,
  },
  "a certificate that expires soon": {
    presents: async (
      site,
    ) => [await issued(site, { notAfter: "2026-06-20" }), site.ca],
    states: ["expiring"],
    message: /expires on 2026-06-20/,
  },
  "a certificate for another host": {
    presents: async (
      site,
    ) => [await issued(site, { cn: "other.example" }), site.ca],
    states: ["name_mismatch"],
    message: /not for www\.probe\.example/,
  },
  "a certificate with the host in the common name only": {
    presents: async (
      site,
    ) => [await issued(site, { cn: HOST, sans: ["other.example"] }), site.ca],
    states: ["name_mismatch"],
    message: /not for/,
  },
  "a wildcard that covers two labels": {
    presents: async (
      site,
    ) => [
      await issued(site, { cn: "*.example", sans: ["*.example"] }),
      site.ca,
    ],
    states: ["name_mismatch"],
    message: /not for/,
  },
  "a chain to an untrusted root": {
    presents: async () => {
      const stranger = await TestCa.root({ cn: "Stranger" });
      return [await stranger.issue({ cn: HOST }), stranger];
    },
    states: ["untrusted"],
    message: /The chain ends in CN=Stranger, which is neither a public root nor a tracked authority/,
  },
  "a self-signed certificate": {
    presents: async () => [await TestCa.root({ cn: HOST, sans: [HOST], ca: false })],
    states: ["untrusted"],
    message: /self-signed/,
  },
  "a certificate without its intermediate": {
    presents: async (site) => [await issued(site)],
    states: ["incomplete_chain"],
    message:
      /^The chain ends below CN=Probe CA, which is neither sent, nor a public root, nor a tracked authority\.$/,
  },
  "a certificate with its intermediate, of a root that is not tracked": {
    presents: async () => {
      const root = await TestCa.root({ cn: "Private Root" });
      const intermediate = await root.intermediate({ cn: "Private CA" });
      return [await intermediate.issue({ cn: HOST }), intermediate];
    },
    states: ["incomplete_chain"],
    message:
      /^The chain ends below CN=Private Root, which is neither sent, nor a public root, nor a tracked authority\.$/,
  },
  "certificates in the wrong order, with an unrelated one": {
    presents: async (
      site,
    ) => [
      await issued(site),
      await TestCa.root({ cn: "Extra" }),
      site.root,
      site.ca,
    ],
    states: ["ok"],
    message: /as expected/,
  },
  "an expired certificate for another host without its intermediate": {
    presents: async (
      site,
    ) => [
      await issued(site, {
        cn: "x.example",
        notBefore: "2026-01-01",
        notAfter: "2026-06-01",
      }),
    ],
    states: ["expired", "name_mismatch", "incomplete_chain"],
    message: /expired/,
  },
};
for (const [what, { presents, states, message }] of Object.entries(CASES)) {
  Deno.test(`${what} is ${states.join(" and ")}`, async () => {
    await using site = await startSite();
    site.servers.serve(HOST, await presents(site));
    const endpoint = await probed(site, HOST);
    assert.deepEqual(endpoint.states, states);
    assert.equal(endpoint.state, states[0]);
    assert.match(endpoint.state_message as string, message);
    const { state, presented } = endpoint.observation as {
      state: string;
      presented: string[];
    };
    assert.equal(state, states[0]);
    assert.ok(
      presented.every((one) => /^[0-9a-f]{64}$/.test(one)) &&
        presented.length > 0,
    );
  });
}

Deno.test("a server that does not present the tracked intermediate has an incomplete chain", async () => {
  await using site = await startSite();
  await site.ask("certificate-authorities/", {
    name: "CA",
    type: "internal",
    pem_content: site.ca.pem,
  });
  site.servers.serve(HOST, [await issued(site)]);
  const { state, state_message } = await probed(site, HOST);
  assert.equal(state, "incomplete_chain");
  assert.match(
    state_message as string,
    /does not send the intermediate certificate CN=Probe CA/,
  );
});

Deno.test("a host that is an address is compared with the addresses of the certificate, not with its names", async () => {
  await using site = await startSite();
  site.servers.serve("192.0.2.7", [
    await issued(site, { sans: ["IP:192.0.2.7"] }),
    site.ca,
  ]);
  assert.equal((await probed(site, "192.0.2.7")).state, "ok");
  site.servers.serve("192.0.2.8", [
    await issued(site, { sans: ["192.0.2.8"] }),
    site.ca,
  ]);
  assert.equal((await probed(site, "192.0.2.8")).state, "name_mismatch");
});

Deno.test("a server that does not answer is unreachable, and keeps the certificate that it served", async () => {
  await using site = await startSite();
  site.servers.serve(HOST, [await issued(site), site.ca]);
  const { id, certificate } = await probed(site, HOST);
  site.servers.answer(HOST, UNREACHABLE);
  const endpoint = await site.ask(`endpoints/${id}/probe/`, {});
  assert.equal(endpoint.state, "unreachable");
  assert.equal(endpoint.state_message, "The connection was refused.");
  assert.deepEqual(endpoint.certificate, certificate);
});

Deno.test("an old protocol is a TLS error, and the certificate is recorded anyway", async () => {
  await using site = await startSite();
  site.servers.answer(
    HOST,
    presenting([await issued(site), site.ca], "192.0.2.1", "TLS 1.0"),
  );
  const { state, state_message, certificate } = await probed(site, HOST);
  assert.equal(state, "tls_error");
  assert.match(state_message as string, /only TLS 1\.0/);
  assert.notEqual(certificate, null);
});

Deno.test("addresses that present different certificates are a finding, and the worst state counts", async () => {
  await using site = await startSite();
  const old = await issued(site, {
    notBefore: "2026-01-01",
    notAfter: "2026-06-01",
  });
  site.servers.serve(HOST, [await issued(site), site.ca], [old, site.ca]);
  const { id, state, addresses_differ, state_message } = await probed(
    site,
    HOST,
  );
  assert.deepEqual([state, addresses_differ], ["expired", true]);
  assert.match(
    state_message as string,
    /addresses of the host present different certificates/,
  );
  const { results } = await site.ask(
    `observations/?endpoint_id=${id}&ordering=address`,
  );
  assert.deepEqual((results as { state: string }[]).map((one) => one.state), [
    "ok",
    "expired",
  ]);
});
