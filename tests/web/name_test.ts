/** Where names may break. */

import assert from "node:assert/strict";
import { BreakableName } from "../../src/web/kit/components/mod.ts";

Deno.test("octets in hexadecimal break after a colon, hosts after a dot, and other texts stay as they are", () => {
  const rendered = (text: string): string => String(BreakableName({ text }));
  assert.equal(rendered("6C:98:2D"), "6C:<wbr>98:<wbr>2D");
  assert.equal(rendered("0a:ff"), "0a:<wbr>ff");
  assert.equal(rendered("a.b.example:443"), "a.<wbr>b.<wbr>example<wbr>:443");
  assert.equal(rendered("Edit \u2068b.example\u2069 (old)"), "Edit \u2068b.<wbr>example\u2069 (old)");
  for (const text of ["", "6C", "6C982D", "6C:98:", "One. Two.", "bücher.example"]) {
    assert.equal(rendered(text), text);
  }
});
