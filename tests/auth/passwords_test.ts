import assert from "node:assert/strict";
import { textOf } from "../../src/base/findings.ts";
import { hashPassword, passwordFault, verifyPassword } from "../../src/auth/mod.ts";
import { cpuMillis } from "../support/cpu_time.ts";

/** RFC 7914 §12, third vector: "pleaseletmein", "SodiumChloride", N = 16384, r = 8, p = 1. */
const VECTOR = "$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$" +
  Uint8Array.fromHex(
    "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2" +
      "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887",
  ).toBase64({ omitPadding: true });

Deno.test("a password is verified by scrypt as RFC 7914 defines it", async () => {
  assert.equal(await verifyPassword("pleaseletmein", VECTOR), true);
  assert.equal(await verifyPassword("pleaseletmeim", VECTOR), false);
});

Deno.test("a hash matches its password and no other, and does not contain it", async () => {
  const password = "Übung macht den Meister";
  const hash = await hashPassword(password);
  assert.match(hash, /^\$scrypt\$ln=15,r=8,p=3\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.equal(await verifyPassword(password, hash), true);
  assert.equal(await verifyPassword(password.normalize("NFD"), hash), true, "composed or not");
  const wrong = ["", password.toLowerCase(), `${password} `, password.slice(0, -1), "x".repeat(10_000), hash];
  for (const other of wrong) assert.equal(await verifyPassword(other, hash), false, other.slice(0, 40));
});

Deno.test("hashing a password twice returns different hashes", async () => {
  const [one, other] = [await hashPassword("correct horse"), await hashPassword("correct horse")];
  assert.notEqual(one, other);
});

Deno.test("without a hash no password matches, after the same time", async () => {
  const hash = await hashPassword("correct horse");
  const time = async (encoded: string | null): Promise<number> => {
    const start = performance.now();
    assert.equal(await verifyPassword("wrong horse", encoded), false);
    return performance.now() - start;
  };
  // The shortest of several times is used, because other work of the machine can only increase a time.
  let [known, unknown] = [Infinity, Infinity];
  for (let round = 0; round < 5; round++) {
    known = Math.min(known, await time(hash));
    unknown = Math.min(unknown, await time(null));
  }
  assert.ok(unknown > known / 4, `${unknown} ms without, ${known} ms with`);
});

Deno.test("a stored text that is not a hash is an error, not a match", async () => {
  for (const text of ["", "secret", "$scrypt$ln=15,r=8$x$y", "$argon2id$ln=1,r=1,p=1$eA$eA"]) {
    await assert.rejects(verifyPassword("secret", text), /Unknown format/);
  }
  await assert.rejects(verifyPassword("secret", "$scrypt$ln=30,r=8,p=1$eA$eA"), "a gigabyte of memory");
});

Deno.test("passwords have 12 to 128 characters, however many bytes those take", () => {
  const table: [password: string, fault: RegExp | undefined][] = [
    ["", /at least 12/],
    ["a".repeat(11), /at least 12/],
    ["a".repeat(12), undefined],
    ["😀".repeat(6), /at least 12/],
    ["😀".repeat(128), undefined],
    ["a".repeat(129), /no more than 128/],
  ];
  for (const [password, fault] of table) {
    if (fault === undefined) assert.equal(passwordFault(password), undefined);
    else assert.match(textOf(passwordFault(password)!), fault);
  }
});

Deno.test("a text that is too long for a password is refused as fast as a wrong one, whatever its characters", async () => {
  const hash = await hashPassword("correct horse battery");
  const long = "\u0300\u0316".repeat(100_000);
  const before = cpuMillis();
  assert.equal(await verifyPassword(long, hash), false);
  assert.equal(await verifyPassword(long, null), false);
  assert.match(textOf(passwordFault(long)!), /no more than 128/);
  // Two hashes; normalizing the text takes minutes.
  assert.ok(cpuMillis() - before < 5_000);
});

Deno.test("a password of the maximum length is accepted, also with characters of two UTF-16 units", async () => {
  const password = "\u{1f600}".repeat(128);
  assert.equal(passwordFault(password), undefined);
  assert.equal(await verifyPassword(password, await hashPassword(password)), true);
  assert.match(textOf(passwordFault(`${password}x`)!), /no more than 128/);
});
