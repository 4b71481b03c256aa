import assert from "node:assert/strict";
import { CUSTOMIZED_TYPES } from "../../../src/domain/custom_fields/targets.ts";
import { resources } from "../../../src/domain/registry.ts";
import { CUSTOM_COLUMN } from "../../../src/resource/mod.ts";

Deno.test("custom fields may be defined on exactly the resources that have the field", () => {
  const having = resources.filter(({ fields }) => CUSTOM_COLUMN in fields);
  assert.deepEqual([...CUSTOMIZED_TYPES].sort(), having.map(({ objectType }) => objectType).sort());
});
