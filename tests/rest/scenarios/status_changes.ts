/** Changes of status: of many on request, of expired ones by the sweep. */

import assert from "node:assert/strict";
import { granted, managerOf, readerOf, superuser, within } from "../../support/actors.ts";
import { certificate, PATHS } from "../../support/paths.ts";
import { type Scenario, scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";

const TYPE = "certmgr.certificate";
const UPDATED = `update ${TYPE}`;
const DETAIL_403 = { detail: "You do not have permission to perform this action." };
const OPERATOR = ["bulk_operations", "change"];
const { certificates: ids } = seed;
const ADDRESSES = [
  `${PATHS.certificates}bulk-status-update/`,
  "/api/plugins/certmgr/bulk-status-update/",
];

for (const post of ADDRESSES) {
  const update = (title: string, body: unknown, expected: Partial<Scenario>): void =>
    scenario(`POST ${post}: ${title}`, { as: "superuser", post, body, status: 200, ...expected });
  const actorWithout = (lacking: string): Scenario["as"] =>
    granted([{ types: [TYPE], actions: OPERATOR.concat("view").filter((one) => one !== lacking) }]);

  update("sets the status of all, reports each, and lists missing ids", {
    ids: [ids.twin, 999, ids.acmeWeb, ids.globexRevoked, ids.twin],
    status: "revoked",
  }, {
    changes: [UPDATED, UPDATED],
    equals: {
      updated_count: 2,
      not_found_ids: [999],
      results: [
        { id: ids.twin, common_name: "twin.example", old_status: "active", new_status: "revoked" },
        { id: ids.acmeWeb, common_name: "www.acme.example", old_status: "active", new_status: "revoked" },
        {
          id: ids.globexRevoked,
          common_name: "mail.globex.example",
          old_status: "revoked",
          new_status: "revoked",
        },
      ],
    },
  });
  for (const status of ["active", "expired", "replaced", "revoked", "pending"]) {
    update(`accepts the status ${status}`, { ids: [ids.acmeWeb], status }, {
      changes: status === "active" ? [] : [UPDATED],
      json: (body) => assert.equal(body.results[0].new_status, status),
    });
  }
  update("a hidden certificate is listed as missing, too", {
    ids: [ids.globexWeb, ids.acmeWeb],
    status: "pending",
  }, {
    as: managerOf("acme"),
    changes: [UPDATED],
    excludes: ["globex"],
    json: (body) => assert.deepEqual(body.not_found_ids, [ids.globexWeb]),
  });
  update("one certificate outside the constraints changes none", {
    ids: [ids.acmeWeb, ids.shared],
    status: "revoked",
  }, {
    as: within(TYPE, OPERATOR, [{ status: "active" }, { id: ids.shared }]),
    status: 403,
    equals: DETAIL_403,
  });
  for (const lacking of OPERATOR) {
    update(`answers 403 without ${lacking}`, { ids: [1], status: "active" }, {
      as: actorWithout(lacking),
      status: 403,
      equals: DETAIL_403,
    });
  }
  update("answers 401 without credentials", { ids: [1] }, { as: "nobody", status: 401 });
  update("answers 403 to a read-only token", { ids: [1], status: "active" }, {
    as: superuser({ readOnlyToken: true }),
    status: 403,
  });
  for (
    const [body, errors] of [
      [{ status: "active" }, { ids: ["This field is required."] }],
      [{ ids: [1] }, { status: ["This field is required."] }],
      [{ ids: [1], status: "gone" }, {
        status: ['Expected one of active, expired, replaced, revoked, pending, not "gone".'],
      }],
      [{ ids: [1], status: null }, {
        status: ["Expected one of active, expired, replaced, revoked, pending, not null."],
      }],
      [{ ids: "1", status: "active" }, { ids: ['Expected a list of ids, not "1".'] }],
      [{ ids: Array.from({ length: 1_001 }, (_, index) => index), status: "active" }, {
        ids: ["Batch too large: expected at most 1000 ids, not 1001."],
      }],
    ] as const
  ) {
    update(`refuses ${JSON.stringify(body).slice(0, 50)}`, body, { status: 400, equals: errors });
  }
}

function sweep(title: string, expected: Partial<Scenario>): void {
  scenario(`Expiry sweep: ${title}`, {
    as: "superuser",
    post: `${PATHS.certificates}expiry-sweep/`,
    status: 200,
    ...expected,
  });
}

sweep("active and pending certificates expire after their valid_to", {
  changes: [UPDATED, UPDATED],
  equals: { expired_count: 2, restored_count: 0 },
});
sweep("a certificate is still valid in its last second", {
  before: ({ clock }) => clock.advance(6 * 3_600_000 + 999),
  changes: [UPDATED, UPDATED],
  equals: { expired_count: 2, restored_count: 0 },
});
sweep("a certificate is expired one second later", {
  before: ({ clock }) => clock.advance(6 * 3_600_000 + 1_000),
  changes: [UPDATED, UPDATED, UPDATED],
  equals: { expired_count: 3, restored_count: 0 },
});
sweep("a restricted caller sweeps only their own certificates", {
  as: managerOf("acme"),
  changes: [UPDATED],
  equals: { expired_count: 1, restored_count: 0 },
});
sweep("a caller who may change no expired certificate sweeps nothing", {
  as: within(TYPE, OPERATOR, { id: ids.acmeWeb }),
  equals: { expired_count: 0, restored_count: 0 },
});
sweep("a caller whose constraints exclude the status expired stores nothing", {
  as: within(TYPE, OPERATOR, { status: "active" }),
  status: 403,
  equals: DETAIL_403,
});
for (const lacking of OPERATOR) {
  sweep(`without ${lacking} it answers 403`, {
    as: granted([{ types: [TYPE], actions: OPERATOR.concat("view").filter((one) => one !== lacking) }]),
    status: 403,
    equals: DETAIL_403,
  });
}
sweep("without credentials it answers 401", { as: "nobody", status: 401 });
sweep("with a read-only token it answers 403", { as: superuser({ readOnlyToken: true }), status: 403 });

function history(title: string, id: number, expected: Partial<Scenario> & { query?: string }): void {
  const { query = "", ...rest } = expected;
  scenario(`Lifecycle: ${title}`, {
    as: "superuser",
    get: certificate(id, `lifecycle/${query}`),
    status: 200,
    ...rest,
  });
}

history("`view` is enough", ids.acmeWeb, {
  as: readerOf("acme"),
  json: (body) => {
    assert.deepEqual(Object.keys(body), ["count", "next", "previous", "complete", "results"]);
    assert.deepEqual([body.count, body.next, body.previous], [1, null, null]);
    assert.deepEqual(Object.keys(body.results[0]), [
      "id",
      "time",
      "action",
      "username",
      "request_id",
      "changes",
      "status",
    ]);
    const { action, username, changes, status } = body.results[0];
    assert.deepEqual([action, username, changes, status], ["create", "system", {}, "active"]);
  },
});
history("brief, exclude and format are always accepted", ids.acmeWeb, { query: "?format=json&brief=true" });
history("an unknown or malformed parameter is refused", ids.acmeWeb, {
  query: "?limit=x&offset=-1&nonsense=1",
  status: 400,
  equals: {
    limit: ['Expected a whole number of 0 or more, not "x".'],
    offset: ['Expected a whole number of 0 or more, not "-1".'],
    nonsense: ["Unknown parameter. Expected limit or offset."],
  },
});
history("without credentials it answers 401", ids.acmeWeb, { as: "nobody", status: 401 });
history("`change` is not `view`", ids.acmeWeb, {
  as: granted([{ types: [TYPE], actions: ["change"] }]),
  status: 403,
  equals: DETAIL_403,
});
for (const [what, id] of [["hidden", ids.globexWeb], ["missing", 999]] as const) {
  history(`a certificate that is ${what} answers 404`, id, {
    as: readerOf("acme"),
    status: 404,
    equals: { detail: "Not found." },
  });
}
