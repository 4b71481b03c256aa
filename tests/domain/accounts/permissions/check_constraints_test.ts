/** Suggested names can be used in constraints. */

import assert from "node:assert/strict";
import { OBJECT_TYPES } from "../../../../src/auth/mod.ts";
import { checkConstraints, constraintNames } from "../../../../src/domain/accounts/permissions/mod.ts";
import { testContext } from "../../../support/context.ts";
import { testDatabase } from "../../../support/database.ts";

Deno.test("Each suggested name is a filter of the type, and each type has suggestions", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  for (const objectType of OBJECT_TYPES) {
    const names = constraintNames(ctx, objectType);
    assert(names.length > 3, objectType);
    for (const name of names) {
      const constraints = JSON.stringify({ [name]: null });
      const { errors: faults } = await checkConstraints({
        ctx,
        input: { objectTypes: [objectType], constraints },
      });
      assert.doesNotMatch(faults.join(), /Unknown|cannot be constrained/, `${objectType} ${name}`);
    }
  }
  assert.deepEqual(constraintNames(ctx, "no.such.type"), []);
});
