import assert from "node:assert/strict";
import { FINDING_CODES, sectionOf } from "../../src/x509/mod.ts";

Deno.test({
  name: "every code of a finding is documented, in order, and has a section",
  permissions: { read: true },
  fn: () => {
    const guide = Deno.readTextFileSync(new URL("../../docs/api.md", import.meta.url));
    const table = guide.slice(guide.indexOf("### Findings"), guide.indexOf("### A misspelled filter"));
    assert.deepEqual(
      [...table.matchAll(/^\| `([a-z_]+)`\s+\| (?!The)/gm)].map(([, code]) => code),
      FINDING_CODES,
    );
    for (const code of FINDING_CODES) assert.match(sectionOf(code), /^RFC \d{4} §\d/);
  },
});
