import assert from "node:assert/strict";
import { addressGroup, inNetworks, readNetwork } from "../../src/base/addresses.ts";
import { cpuMillis } from "../support/cpu_time.ts";

Deno.test("addresses and networks are normalized to their canonical form", () => {
  const table: [given: string, kept: string][] = [
    ["192.0.2.10", "192.0.2.10"],
    ["192.0.2.0/24", "192.0.2.0/24"],
    ["192.0.2.10/32", "192.0.2.10/32"],
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["2001:DB8:0:0::1", "2001:db8::1"],
    ["2001:db8::/32", "2001:db8::/32"],
    ["::/0", "::/0"],
    ["::ffff:192.0.2.10", "192.0.2.10"],
    ["::ffff:c000:20a", "192.0.2.10"],
    ["::ffff:192.0.2.0/120", "192.0.2.0/24"],
  ];
  for (const [given, kept] of table) assert.deepEqual(readNetwork(given), { network: kept }, given);
});

Deno.test("invalid and ambiguous addresses and networks are refused", () => {
  const hostile = [
    "",
    "acme",
    "192.0.2",
    "192.0.2.256",
    "192.0.2.010",
    "0xc0.0.2.1",
    "3221225985",
    "192.0.2.0/33",
    "192.0.2.0/-1",
    "192.0.2.0/024",
    "192.0.2.0/24/8",
    "192.0.2.0/255.255.255.0",
    "192.0.2.0/",
    "/24",
    "2001:db8::/129",
    "fe80::1%eth0",
    "::ffff:192.0.2.0/95",
    "192.0.2.1, 192.0.2.2",
    "1::2::3",
  ];
  for (const given of hostile) assert.ok("error" in readNetwork(given), given);
  assert.deepEqual(readNetwork("10.1.2.3/8"), {
    error: "Expected the first address of the network, 10.0.0.0/8",
  });
});

Deno.test("an address is matched by networks of its own family only", () => {
  const table: [address: string | null, networks: string[], inside: boolean][] = [
    ["192.0.2.10", ["192.0.2.10"], true],
    ["192.0.2.11", ["192.0.2.10"], false],
    ["192.0.2.255", ["198.51.100.0/24", "192.0.2.0/24"], true],
    ["192.0.3.0", ["192.0.2.0/24"], false],
    ["::ffff:192.0.2.10", ["192.0.2.0/24"], true],
    ["192.0.2.10", ["::/0"], false],
    ["2001:db8::1", ["0.0.0.0/0"], false],
    ["2001:db8::1", ["2001:db8::/32"], true],
    ["2001:db9::1", ["2001:db8::/32"], false],
    ["fe80::1%eth0", ["fe80::/10"], true],
    ["0300.0.2.10", ["192.0.2.10"], false],
    ["not an address", ["0.0.0.0/0", "::/0"], false],
    [null, ["0.0.0.0/0"], false],
    ["192.0.2.10", [], false],
    ["192.0.2.10", ["broken", "192.0.2.10"], true],
    ["192.0.2.10", ["broken"], false],
  ];
  for (const [address, networks, inside] of table) {
    assert.equal(inNetworks(address, networks), inside, `${address} in ${networks}`);
  }
});

Deno.test("clients are counted by address, IPv6 by subnet", () => {
  const table: [address: string, group: string][] = [
    ["192.0.2.10", "192.0.2.10"],
    ["::ffff:192.0.2.10", "192.0.2.10"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::9", "2001:db8:1:2::/64"],
    ["unix", "unix"],
  ];
  for (const [address, group] of table) assert.equal(addressGroup(address), group);
});

Deno.test("a text that is too long for an address is refused without parsing it", () => {
  const before = cpuMillis();
  for (
    const text of ["%".repeat(1_000_000), ":".repeat(1_000_000), "1:".repeat(500_000), "/".repeat(1_000_000)]
  ) {
    assert.equal(inNetworks(text, ["::/0"]), false);
    assert.ok("error" in readNetwork(text));
  }
  assert.ok(cpuMillis() - before < 1_000);
  assert.equal(inNetworks(`fe80::1%${"e".repeat(80)}`, ["fe80::/10"]), true);
});
