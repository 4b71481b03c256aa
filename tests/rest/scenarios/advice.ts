/** The advice about an object, for those who may view it. */

import assert from "node:assert/strict";
import { stranger, within } from "../../support/actors.ts";
import { PATHS } from "../../support/paths.ts";
import { type Scenario, scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";

const KINDS = [
  { type: "certmgr.certificate", path: PATHS.certificates, ids: Object.values(seed.certificates) },
  { type: "certmgr.endpoint", path: PATHS.endpoints, ids: Object.values(seed.endpoints) },
];

for (const { type, path, ids } of KINDS) {
  const advice = (title: string, id: number | string | undefined, expected: Partial<Scenario>): void => {
    scenario(`Advice about ${type} ${id}: ${title}`, {
      as: "superuser",
      get: `${path}${id}`,
      status: 200,
      ...expected,
    });
  };
  for (const id of ids) {
    advice("all of it on one page, as the schema says", `${id}/advice/`, {
      json: ({ count, results, ...page }) => {
        assert.deepEqual([count, page], [results.length, { next: null, previous: null }]);
        assert.ok(type !== "certmgr.certificate" || count > 0);
      },
    });
  }
  advice("an unknown parameter is refused", `${ids[0]}/advice/?limit=1`, {
    status: 400,
    equals: { limit: ["Unknown parameter. Expected none."] },
  });
  const as = within(type, ["view"], { id: ids[0] });
  advice("it needs no other right", `${ids[0]}/advice/`, { as });
  for (const id of [ids[1], 9_999]) {
    advice("hidden and missing objects answer 404", `${id}/advice/`, {
      as,
      status: 404,
      equals: { detail: "Not found." },
    });
  }
  advice("without permissions it answers 403", `${ids[0]}/advice/`, { as: stranger(), status: 403 });
}
