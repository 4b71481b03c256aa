/** Names that a successor does not cover. */

import assert from "node:assert/strict";
import { lostNames } from "../../../../src/domain/certificates/mod.ts";

const CASES: [old: string[], successor: string[], lost: string[]][] = [
  [["www.acme.example"], ["www.acme.example"], []],
  [["www.acme.example"], ["WWW.Acme.example"], []],
  [["a.acme.example", "b.acme.example", "a.acme.example"], ["b.acme.example"], ["a.acme.example"]],
  [["www.acme.example"], ["*.acme.example"], []],
  [["acme.example"], ["*.acme.example"], ["acme.example"]],
  [["a.b.acme.example"], ["*.acme.example"], ["a.b.acme.example"]],
  [["*.acme.example"], ["www.acme.example"], ["*.acme.example"]],
  [["IP:192.0.2.7"], ["www.acme.example"], ["IP:192.0.2.7"]],
  [["Printer"], [], ["Printer"]],
];

Deno.test("a name is lost if the successor has neither the name nor a wildcard for it", () => {
  for (const [old, successor, lost] of CASES) {
    assert.deepEqual(lostNames(old, successor), lost, `${old} → ${successor}`);
  }
});
