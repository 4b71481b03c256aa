/** Every text that objects show in lists is a filter. */

import assert from "node:assert/strict";
import { resources } from "../../src/domain/registry.ts";
import { shapeOf } from "../../src/resource/mod.ts";

Deno.test("every text that lists show can be filtered", () => {
  const missing = resources.flatMap(({ objectType, fields, filters = {} }) =>
    Object.values(fields).filter((field) =>
      shapeOf(field).kind === "string" && !field.writeOnly && !field.long && field.columns !== undefined &&
      !(field.name in field.filters) && !(field.name in filters)
    ).map(({ name }) => `${objectType}.${name}`)
  );
  assert.deepEqual(missing, []);
});
