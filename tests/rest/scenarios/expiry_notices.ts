/** The thresholds of expiry notices, on certificates and on tenants. */

import assert from "node:assert/strict";
import { readerOf } from "../../support/actors.ts";
import type { TestApp } from "../../support/app.ts";
import { certificate, PATHS } from "../../support/paths.ts";
import { type Scenario, scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";
import { metadata, NEXT_CERTIFICATE, storing } from "../../support/stored.ts";

const SUBJECTS = [
  ["certificate", certificate(seed.certificates.acmeCritical), "update certmgr.certificate"],
  ["tenant", `${PATHS.tenants}${seed.tenants.acme}/`, "update tenancy.tenant"],
] as const;

for (const [what, patch, changed] of SUBJECTS) {
  for (const list of [["30d", "33%", "0d"], ["99%"], []]) {
    scenario(`PATCH of a ${what} accepts the thresholds ${JSON.stringify(list)}, and returns them`, {
      as: "superuser",
      patch,
      body: { expiry_notices: list },
      status: 200,
      changes: [changed],
      json: (body) => assert.deepEqual(body.expiry_notices, list),
    });
  }
  scenario(`PATCH of a ${what} accepts null if there are no thresholds, and records nothing`, {
    as: "superuser",
    patch,
    body: { expiry_notices: null },
    status: 200,
    json: (body) => assert.equal(body.expiry_notices, null),
  });
  const form = "Expected days from 0d to 3650d or a part of the lifetime from 1% to 99%";
  for (
    const [value, message] of [
      ["30d", 'Expected a list of thresholds or null, not "30d".'],
      [30, "Expected a list of thresholds or null, not 30."],
      [{ 0: "30d" }, 'Expected a list of thresholds or null, not {"0":"30d"}.'],
      [["30"], `Entry 1: ${form}, not "30".`],
      [["7d", "100%"], `Entry 2: ${form}, not "100%".`],
      [["3651d"], `Entry 1: ${form}, not "3651d".`],
      [["030d"], `Entry 1: ${form}, not "030d".`],
      [[" 30d"], `Entry 1: ${form}, not " 30d".`],
      [["30d\n"], `Entry 1: ${form}, not "30d\\n".`],
      [[30], `Entry 1: ${form}, not 30.`],
      [[null], "Entry 1: This field may not be null."],
      [["7d", "30d", "7d"], "Expected each threshold once, not 7d twice."],
      [
        Array.from({ length: 21 }, (_, days) => `${days}d`),
        "Expected at most 20 thresholds, not 21.",
      ],
    ] as const
  ) {
    scenario(`PATCH of a ${what} refuses the thresholds ${JSON.stringify(value).slice(0, 40)}`, {
      as: "superuser",
      patch,
      body: { expiry_notices: value },
      status: 400,
      equals: { expiry_notices: [message] },
    });
  }
}

const OWN = storing(
  metadata(1, { expiry_notices: ["45d", "10%"] }),
  metadata(2, { expiry_notices: [] }),
);

function found(title: string, query: string, ids: readonly number[], rest: Partial<Scenario> = {}): void {
  scenario(`Filters on thresholds: ${title}`, {
    as: "superuser",
    get: `${PATHS.certificates}?issuer=stored&fields=id&${query}`,
    before: (app: TestApp) => OWN(app),
    status: 200,
    json: (body) => assert.deepEqual(body.results.map((row: { id: number }) => row.id), ids),
    ...rest,
  });
}

const [SOME, NONE] = [NEXT_CERTIFICATE, NEXT_CERTIFICATE + 1];
found("objects with separate thresholds match", "expiry_notices__empty=false", [SOME, NONE]);
found("objects that inherit their thresholds match", "expiry_notices__empty=true", []);
found("one element of the list matches", "expiry_notices=10%25", [SOME]);
found("an empty list matches", "expiry_notices__ie=[]", [NONE]);
found("null", "expiry_notices=null", []);

scenario("Exports have the thresholds of certificates only if they are requested", {
  as: "superuser",
  get: `${PATHS.certificates}export/?format=json&issuer=stored&fields=id,expiry_notices`,
  before: OWN,
  status: 200,
  equals: [{ id: SOME, expiry_notices: ["45d", "10%"] }, { id: NONE, expiry_notices: [] }],
});
scenario("Exports without requested fields have the specified ones", {
  as: "superuser",
  get: `${PATHS.certificates}export/?format=csv&issuer=stored`,
  before: OWN,
  status: 200,
  type: "text/csv; charset=utf-8",
  excludes: ["expiry_notices", "45d"],
});
scenario("An import of metadata ignores the column", {
  as: "superuser",
  post: `${PATHS.certificates}bulk-data-import/`,
  body: {
    format: "json",
    content: JSON.stringify([{ ...metadata(3, { valid_to: "2026-12-31" }), expiry_notices: ["45d"] }]),
  },
  status: 201,
  changes: ["create certmgr.certificate"],
});
scenario("A caller who may not change a certificate cannot change its thresholds", {
  as: readerOf("acme"),
  patch: certificate(seed.certificates.acmeCritical),
  body: { expiry_notices: [] },
  status: 403,
});
