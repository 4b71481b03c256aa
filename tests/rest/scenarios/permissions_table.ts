/**
 * The permission tables of the specification, line by line: for each endpoint a user with exactly the permissions of
 * the line, the same without one of them, and the same within one tenant.
 */

import assert from "node:assert/strict";
import { actionsOn, OBJECT_TYPES } from "../../../src/auth/mod.ts";
import { type Actor, auditor, granted, type GrantSpec, stranger } from "../../support/actors.ts";
import { certificate, PATHS } from "../../support/paths.ts";
import { pki } from "../../support/pki.ts";
import { type Scenario, scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";
import { metadata } from "../../support/stored.ts";
import { setFlags } from "../../support/acme_flags.ts";

const CERTIFICATE = "certmgr.certificate";
const ASSIGNMENT = "certmgr.certificateassignment";
const POLICY = "certmgr.compliancepolicy";
const ROOT = "/api/plugins/certmgr/";
const UPDATED = `update ${CERTIFICATE}`;
const CREATED = `create ${CERTIFICATE}`;
const DETAIL_403 = { detail: "You do not have permission to perform this action." };
const NOT_FOUND = { status: 404, equals: { detail: "Not found." } };
const { certificates: ids, devices, policies } = seed;

/** A permission: object type and action. */
type Permission = readonly [type: string, action: string];

const IMPORT: Permission = [CERTIFICATE, "import"];
const BULK: Permission = [CERTIFICATE, "bulk_operations"];
const CHANGE: Permission = [CERTIFICATE, "change"];
const VIEW: Permission = [CERTIFICATE, "view"];
const COMPLIANCE: Permission = [POLICY, "manage_compliance"];
const ASSIGN: Permission = [ASSIGNMENT, "add"];

/** One line of the tables. */
interface Line {
  readonly endpoint: string;
  /** Method, path and body of a request about certificates of both tenants, or of one. */
  readonly call: Partial<Scenario>;
  readonly needs: readonly Permission[];
  /** Permissions to view the objects of the request: a certificate to check, an object to assign certificates to. */
  readonly sees?: readonly Permission[];
  /** The response to a caller from whom nothing is hidden. */
  readonly works: Partial<Scenario>;
  /** A request about Globex's certificate, and its response to callers who are restricted to Acme's. */
  readonly bound: Partial<Scenario>;
}

const LATE = metadata(1, { valid_to: "2026-12-31" });
const BOTH_IDS = [ids.acmeWeb, ids.globexWeb];
const DEVICE = { assigned_object_type: "dcim.device", assigned_object_id: devices.spare };
const STORED_BY_GLOBEX = { pem_content: pki.stored.globex.pem, tenant: { slug: "acme" } };
const NAMES_NOBODY = { status: 400, contains: ["Certificate already exists."], excludes: ["globex", "ID:"] };

/** Returns the successful response of a bulk request. */
function answers(changes: readonly string[], json: Scenario["json"]): Partial<Scenario> {
  return { status: 200, changes, ...(json === undefined ? {} : { json }) };
}

function setsStatus(address: string): Line {
  return {
    endpoint: address,
    call: { post: address, body: { ids: BOTH_IDS, status: "revoked" } },
    needs: [BULK, CHANGE],
    works: answers([UPDATED, UPDATED], (body) => assert.equal(body.updated_count, 2)),
    bound: answers([UPDATED], (body) => {
      assert.deepEqual([body.updated_count, body.not_found_ids], [1, [ids.globexWeb]]);
    }),
  };
}

function assigns(address: string): Line {
  const change = `create ${ASSIGNMENT}`;
  return {
    endpoint: address,
    call: { post: address, body: { certificate_ids: [ids.acmeWeb, ids.globexRevoked], ...DEVICE } },
    needs: [BULK, ASSIGN],
    sees: [["dcim.device", "view"]],
    works: {
      status: 201,
      changes: [change, change],
      equals: { created_count: 2, skipped_count: 0, not_found_ids: [] },
    },
    bound: {
      status: 201,
      changes: [change],
      equals: { created_count: 1, skipped_count: 0, not_found_ids: [ids.globexRevoked] },
    },
  };
}

const BULK_LINES: readonly Line[] = [
  {
    endpoint: "bulk-import/",
    call: { post: `${PATHS.certificates}bulk-import/`, body: [{ pem_content: pki.fresh.pem }] },
    needs: [BULK, IMPORT],
    works: { status: 201, changes: [CREATED], json: (body) => assert.equal(body.created_count, 1) },
    bound: { body: [STORED_BY_GLOBEX], ...NAMES_NOBODY },
  },
  {
    endpoint: "bulk-data-import/",
    call: { post: `${PATHS.certificates}bulk-data-import/`, body: { content: JSON.stringify([LATE]) } },
    needs: [BULK, IMPORT],
    works: { status: 201, changes: [CREATED], json: (body) => assert.equal(body.created_count, 1) },
    bound: {
      body: {
        content: JSON.stringify([{
          ...LATE,
          serial_number: "01:00:09",
          issuer: "C=US, O=Metadata CA, CN=Issuer 1",
          tenant: "acme",
        }]),
      },
      ...NAMES_NOBODY,
    },
  },
  {
    endpoint: "bulk-validate-chain/",
    call: { post: `${PATHS.certificates}bulk-validate-chain/`, body: { ids: BOTH_IDS } },
    needs: [BULK, CHANGE],
    works: answers([UPDATED, UPDATED], (body) => assert.equal(body.validated_count, 2)),
    bound: answers([UPDATED], (body) => {
      assert.deepEqual([body.validated_count, body.missing_ids], [1, [ids.globexWeb]]);
    }),
  },
  {
    endpoint: "bulk-compliance-check/",
    call: {
      post: `${PATHS.certificates}bulk-compliance-check/`,
      body: { certificate_ids: BOTH_IDS, policy_ids: [policies.keySize] },
    },
    needs: [BULK, COMPLIANCE],
    works: answers([], (body) => assert.deepEqual([body.processed, body.missing_ids], [2, []])),
    bound: answers([], (body) => assert.deepEqual([body.processed, body.missing_ids], [1, [ids.globexWeb]])),
  },
  {
    endpoint: "bulk-check-revocation/",
    call: { post: `${PATHS.certificates}bulk-check-revocation/`, body: { ids: BOTH_IDS } },
    needs: [BULK, CHANGE],
    works: answers([], (body) => assert.deepEqual([body.total, body.revoked, body.missing_ids], [2, 0, []])),
    bound: answers([], (body) => assert.deepEqual(body.missing_ids, [ids.globexWeb])),
  },
  {
    endpoint: "bulk-detect-acme/",
    call: {
      post: `${PATHS.certificates}bulk-detect-acme/`,
      body: { ids: [ids.acmeWarning, ids.globexJustExpired] },
    },
    needs: [BULK, CHANGE],
    works: answers([], (body) => assert.equal(body.detected_acme, 2)),
    bound: answers([], (body) => {
      assert.deepEqual([body.processed, body.missing_ids], [1, [ids.globexJustExpired]]);
    }),
  },
  setsStatus(`${ROOT}bulk-status-update/`),
  setsStatus(`${PATHS.certificates}bulk-status-update/`),
  assigns(`${ROOT}bulk-assign/`),
  assigns(`${PATHS.certificates}bulk-assign/`),
];

const SINGLE_LINES: readonly Line[] = [
  {
    endpoint: "import/",
    call: { post: `${PATHS.certificates}import/`, body: { pem_content: pki.fresh.pem } },
    needs: [IMPORT],
    works: { status: 201, changes: [CREATED] },
    bound: { body: STORED_BY_GLOBEX, ...NAMES_NOBODY },
  },
  {
    endpoint: "{id}/validate-chain/",
    call: { post: certificate(ids.acmeWeb, "validate-chain/") },
    needs: [CHANGE],
    works: answers([UPDATED], (body) => assert.equal(body.status, "valid")),
    bound: { post: certificate(ids.globexWeb, "validate-chain/"), ...NOT_FOUND },
  },
  {
    endpoint: "{id}/compliance-check/",
    call: { post: certificate(ids.acmeWeb, "compliance-check/"), body: {} },
    needs: [COMPLIANCE],
    works: answers([], (body) => assert.equal(body.compliance_score, 100)),
    bound: { post: certificate(ids.globexWeb, "compliance-check/"), ...NOT_FOUND },
  },
  {
    endpoint: "{id}/check-revocation/",
    call: { post: certificate(ids.acmeWeb, "check-revocation/") },
    needs: [CHANGE],
    works: answers([], (body) => assert.deepEqual([body.certificate, body.source], [ids.acmeWeb, "crl"])),
    bound: { post: certificate(ids.globexWeb, "check-revocation/"), ...NOT_FOUND },
  },
  {
    endpoint: "{id}/detect-acme/",
    call: {
      post: certificate(ids.acmeWarning, "detect-acme/"),
      before: (app) => setFlags(app, ids.acmeWarning),
    },
    needs: [CHANGE],
    works: answers([UPDATED], (body) => assert.equal(body.acme_provider, "letsencrypt")),
    bound: { post: certificate(ids.globexJustExpired, "detect-acme/"), ...NOT_FOUND },
  },
  {
    endpoint: "export/",
    call: { get: `${PATHS.certificates}export/?fields=id` },
    needs: [VIEW],
    works: answers([], (rows) => assert.equal(rows.length, Object.keys(ids).length)),
    bound: answers([], (rows: { id: number }[]) => {
      const acme = [ids.acmeWeb, ids.acmeCritical, ids.acmeExpired, ids.acmeWarning, ids.acmeReplaced];
      assert.deepEqual(rows.map((row) => row.id), acme);
    }),
  },
];

function codename([type, action]: Permission): string {
  return ["view", "add", "change", "import"].includes(action) ? `${action}_${type.split(".")[1]}` : action;
}

/** Returns grants of these permissions; those for certificates within a tenant if it is given. */
function grants(permissions: readonly Permission[], tenant?: string): GrantSpec[] {
  return permissions.map(([type, action]) => ({
    types: [type],
    actions: [action],
    ...(tenant !== undefined && type === CERTIFICATE ? { constraints: { tenant__name: tenant } } : {}),
  }));
}

/** Returns a user who may do everything except this action. */
function allBut([type, action]: Permission): Actor {
  return granted(OBJECT_TYPES.map((one) => ({
    types: [one],
    actions: actionsOn(one).filter((each) => one !== type || each !== action),
  })));
}

function register(table: string, { endpoint, call, needs, sees = [], works, bound }: Line): void {
  const line = (title: string, as: Actor, expected: Partial<Scenario>): void =>
    scenario(`${table}: ${endpoint} ${title}`, { ...call, ...expected, as, status: expected.status ?? 200 });
  const named = needs.map(codename).join(" + ");
  line(`works with ${named}`, granted(grants([...needs, ...sees])), works);
  for (const missing of needs) {
    // The legacy permission also allows imports; it has separate scenarios.
    const actor = missing === IMPORT ? withoutImport() : allBut(missing);
    line(`answers 403 without ${codename(missing)}`, actor, { status: 403, equals: DETAIL_403 });
  }
  line("answers 403 to a user without permissions", stranger(), { status: 403, equals: DETAIL_403 });
  const tenant: GrantSpec = { types: ["tenancy.tenant"], actions: ["view"], constraints: { slug: "acme" } };
  line(
    "does not find another tenant's certificate",
    granted([...grants([VIEW, ...needs, ...sees], "Acme Corp"), tenant]),
    bound,
  );
  if (endpoint !== "export/") {
    line("answers 403 to the audit role", auditor(), { status: 403, equals: DETAIL_403 });
  }
}

function withoutImport(): Actor {
  const { grants: rest } = allBut(IMPORT);
  return granted(rest.map((grant) => ({ ...grant, actions: grant.actions.filter((one) => one !== "add") })));
}

for (const line of BULK_LINES) register("Bulk endpoints", line);
for (const line of SINGLE_LINES) register("Single-object endpoints", line);
