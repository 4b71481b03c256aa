/** Assigning many certificates at once. */

import assert from "node:assert/strict";
import { MAX_BULK_OBJECTS } from "../../../src/base/limits.ts";
import { type Actor, granted, type GrantSpec, superuser } from "../../support/actors.ts";
import { testApp } from "../../support/app.ts";
import { certificate, PATHS } from "../../support/paths.ts";
import { scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";

const TYPE = "certmgr.certificateassignment";
const PATH = `${PATHS.certificates}bulk-assign/`;
const ROOT = "/api/plugins/certmgr/bulk-assign/";
const ABSENT = "Related object not found using the provided numeric ID";
const { acmeWeb, acmeCritical, acmeWarning, globexWeb, shared } = seed.certificates;

const device = { assigned_object_type: "dcim.device", assigned_object_id: seed.devices.edge };

const BULK: GrantSpec = { types: ["certmgr.certificate"], actions: ["bulk_operations"] };
const ADD: GrantSpec = { types: [TYPE], actions: ["add"] };
const SEE_DEVICES: GrantSpec = { types: ["dcim.device"], actions: ["view"] };

for (const post of [PATH, ROOT]) {
  scenario(`POST ${post} assigns existing certificates, skips assigned ones, and lists missing ids`, {
    as: "superuser",
    post,
    body: {
      certificate_ids: [acmeWeb, acmeCritical, shared, shared, 999],
      ...device,
      is_primary: true,
      notes: "All of them",
    },
    status: 201,
    changes: [`create ${TYPE}`, `create ${TYPE}`],
    equals: { created_count: 2, skipped_count: 1, not_found_ids: [999] },
  });
  scenario(`POST ${post} needs bulk_operations, add_certificateassignment, and view for the target`, {
    as: granted([BULK, ADD, SEE_DEVICES]),
    post,
    body: { certificate_ids: [shared], ...device },
    status: 201,
    changes: [`create ${TYPE}`],
    equals: { created_count: 1, skipped_count: 0, not_found_ids: [] },
  });
  const everythingElse = ["view", "add", "change", "delete", "import", "renew"];
  const short: readonly (readonly [missing: string, Actor])[] = [
    [
      "bulk_operations",
      granted([{ types: ["certmgr.certificate"], actions: everythingElse }, ADD, SEE_DEVICES]),
    ],
    [
      "add_certificateassignment",
      granted([
        BULK,
        { types: [TYPE], actions: ["view", "change", "delete"] },
        SEE_DEVICES,
      ]),
    ],
    ["a token that may write", superuser({ readOnlyToken: true })],
  ];
  for (const [missing, as] of short) {
    scenario(`POST ${post} answers 403 without ${missing}`, {
      as,
      post,
      body: { certificate_ids: [shared], ...device },
      status: 403,
    });
  }
  scenario(`POST ${post} answers 401 without credentials`, {
    as: "nobody",
    post,
    body: { certificate_ids: [shared], ...device },
    status: 401,
  });
}

scenario("Certificates outside the constraints of bulk_operations behave as if they did not exist", {
  as: granted([{ ...BULK, constraints: { tenant__slug: "acme" } }, ADD, SEE_DEVICES]),
  post: PATH,
  body: { certificate_ids: [acmeCritical, globexWeb], ...device },
  status: 201,
  changes: [`create ${TYPE}`],
  equals: { created_count: 1, skipped_count: 0, not_found_ids: [globexWeb] },
});
scenario("One assignment outside the constraints of `add` makes the whole request fail", {
  as: granted([BULK, { ...ADD, constraints: { certificate__tenant__slug: "acme" } }, SEE_DEVICES]),
  post: PATH,
  body: { certificate_ids: [acmeCritical, globexWeb], ...device },
  status: 403,
});
scenario("A hidden target is treated like a missing one, even if there is nothing to assign", {
  as: granted([BULK, ADD, { ...SEE_DEVICES, constraints: { id__n: seed.devices.edge } }]),
  post: PATH,
  body: { certificate_ids: [acmeWeb], ...device },
  status: 400,
  equals: { assigned_object_id: [`${ABSENT}: ${seed.devices.edge}.`] },
});
scenario("One certificate of another tenant than the target's makes the whole request fail, and is named", {
  as: "superuser",
  post: PATH,
  body: {
    certificate_ids: [globexWeb, acmeCritical, shared],
    ...device,
    assigned_object_id: seed.devices.idle,
  },
  status: 400,
  equals: {
    certificate_ids: [
      `${acmeCritical}: A certificate of one tenant cannot be assigned to another tenant's object.`,
    ],
  },
});

const FAULTS: readonly (readonly [what: string, body: unknown, errors: Record<string, string[]>])[] = [
  ["no ids", device, { certificate_ids: ["This field is required."] }],
  ["an empty list of ids", { certificate_ids: [], ...device }, {
    certificate_ids: ["Expected at least one id."],
  }],
  ["ids that are none", { certificate_ids: [1, "2"], ...device }, {
    certificate_ids: ['Entry 2: Expected an id, not "2".'],
  }],
  ["too many ids", {
    certificate_ids: Array.from({ length: MAX_BULK_OBJECTS + 1 }, (_, id) => id),
    ...device,
  }, {
    certificate_ids: ["Batch too large: expected at most 1000 ids, not 1001."],
  }],
  ["no target", { certificate_ids: [1] }, {
    assigned_object_type: ["This field is required."],
    assigned_object_id: ["This field is required."],
  }],
  ["an unknown type", { certificate_ids: [1], ...device, assigned_object_type: "dcim.site" }, {
    assigned_object_type: [
      'Expected one of dcim.device, virtualization.virtualmachine, ipam.service, not "dcim.site".',
    ],
  }],
  ["an invalid flag", { certificate_ids: [1], ...device, is_primary: "perhaps" }, {
    is_primary: ['Expected true or false, not "perhaps".'],
  }],
  ["a private key", {
    certificate_ids: [1],
    ...device,
    notes: "-----BEGIN RSA PRIVATE KEY-----\nMII=\n-----END RSA PRIVATE KEY-----",
  }, { notes: ["Private key detected. Private keys are never stored."] }],
];
for (const [what, body, equals] of FAULTS) {
  scenario(`POST certificates/bulk-assign/ refuses ${what}`, {
    as: "superuser",
    post: PATH,
    body,
    status: 400,
    equals,
  });
}

Deno.test("The number of statements of bulk-assign does not depend on the number of certificates", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const assign = async (ids: readonly number[], id: number): Promise<number> => {
    const before = app.database.statements;
    const body = { certificate_ids: ids, ...device, assigned_object_id: id, is_primary: true, notes: "N" };
    const response = await client(PATH, { method: "POST", body });
    assert.equal(response.status, 201, await response.text());
    return app.database.statements - before;
  };
  await client(certificate(acmeWeb));
  const one = await assign([acmeWarning], seed.devices.edge);
  assert.equal(await assign(Object.values(seed.certificates), seed.devices.spare), one);
  const list = await (await client(`${PATHS.assignments}?certificate_id=${acmeWarning}`)).json();
  assert.deepEqual(
    list.results.map(({ assigned_object_id, is_primary, notes }: Record<string, unknown>) => [
      assigned_object_id,
      is_primary,
      notes,
    ]),
    [[seed.devices.edge, true, "N"], [seed.devices.spare, true, "N"]],
  );
});
