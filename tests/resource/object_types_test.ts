/** The types of objects: a renamed field is an error of the compiler wherever it is used. */

import assert from "node:assert/strict";
import { certificates } from "../../src/domain/certificates/mod.ts";
import { endpoints } from "../../src/domain/endpoints/mod.ts";
import { tenants } from "../../src/domain/inventory/mod.ts";
import { getObject, type Out } from "../../src/resource/mod.ts";

/** Whether two types are the same. */
type Same<One, Other> = [One] extends [Other] ? [Other] extends [One] ? true : false : false;
/** Whether a type has only the fields that its resource defines. A field without a literal name would add all texts. */
type Exact<One> = string extends keyof One ? false : true;

Deno.test("objects have the fields of their resource, with the types of their output", () => {
  const exact: readonly [
    Exact<Out<typeof certificates>>,
    Exact<Out<typeof endpoints>>,
    Exact<Out<typeof tenants>>,
  ] = [true, true, true];
  const types: readonly [
    Same<Out<typeof certificates>["days_remaining"], number>,
    Same<Out<typeof certificates>["key_size"], number | null>,
    Same<Out<typeof endpoints>["server_name"], string | null>,
    Same<Out<typeof endpoints>["protocol"], string>,
  ] = [true, true, true, false];
  assert.equal(exact.length + types.length, 7);
  assert.equal(typeof getObject, "function");
});
