/** OPTIONS of every resource: the fields that can be read or written, and no others. */

import assert from "node:assert/strict";
import { resources } from "../../../src/domain/registry.ts";
import { scenario } from "../../support/scenario.ts";

for (const resource of resources.filter(({ methods }) => methods.collection.includes("POST"))) {
  scenario(`OPTIONS /api/${resource.path}/ describes each field that can be read or written`, {
    as: "superuser",
    options: `/api/${resource.path}/`,
    status: 200,
    json: (body) => {
      const fields = Object.values(resource.fields).filter(({ readOnly, writeOnly }) =>
        !(readOnly && writeOnly)
      );
      assert.deepEqual(Object.keys(body.actions.POST), fields.map(({ name }) => name));
    },
  });
}
