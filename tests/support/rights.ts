/** For each action of the API and of the pages: requests about a row, and the permissions that suffice for them. */

import { type SQL, sql } from "drizzle-orm";
import { actionsOn, OBJECT_TYPES } from "../../src/auth/mod.ts";
import { resources } from "../../src/domain/registry.ts";
import type { Resource } from "../../src/resource/mod.ts";
import { type Operation } from "../../src/rest/mod.ts";
import { sha256Hex } from "../../src/base/bytes.ts";
import { type Actor, granted, type GrantSpec } from "./actors.ts";
import type { TestApp } from "./app.ts";
import type { TestDatabase } from "./database.ts";
import { operations } from "./operations.ts";
import { pki } from "./pki.ts";
import { sampleOf } from "./samples.ts";
import { seed } from "./seed.ts";
import { writtenBytes } from "./store.ts";

/** A permission: object type and action. */
export type Permission = readonly [type: string, action: string];

/** A request about a row. */
export interface Request {
  readonly path: string;
  readonly method: string;
  readonly body?: unknown;
}

/** An action on rows of a resource. */
export interface Action {
  readonly name: string;
  readonly resource: Resource;
  /** Returns the request about the row with this id. */
  readonly about: (id: number) => Request;
  /** The permissions that suffice. */
  readonly needs: readonly Permission[];
  /** A row with which it succeeds; by default the sample that the caller may view. */
  readonly id?: number;
  /** Names of the members of a successful response besides `id`, `url`, `display` and those of the body. */
  readonly answers?: readonly string[];
}

const { certificates: ids } = seed;
const CERTIFICATE = "certmgr.certificate";
const ASSIGNMENT = "certmgr.certificateassignment";
const BULK: Permission = [CERTIFICATE, "bulk_operations"];
const CHANGE: Permission = [CERTIFICATE, "change"];
const POLICIES: Permission = ["certmgr.compliancepolicy", "manage_compliance"];
const DEVICE = {
  assigned_object_type: "dcim.device",
  assigned_object_id: seed.devices.spare,
};

const successor = await pki.issuing.issue({
  cn: "www.acme.example",
  serial: 0x0b0001,
  sans: ["www.acme.example"],
  notAfter: "2027-10-31T23:59:59Z",
});

const INCIDENTS: Permission = ["certmgr.incident", "manage_incidents"];

type OwnAction = Pick<Action, "needs" | "id" | "answers"> & {
  readonly body?: unknown;
};

/** Members of a response to a notice. */
const RESPONSE = ["certificate", "acknowledged", "snoozed_until", "reason", "username", "created"];

/** Actions on one row, by their operation. */
const ITEM_ACTIONS: Readonly<Record<string, OwnAction>> = {
  validateChain: {
    needs: [CHANGE],
    id: ids.acmeWeb,
    answers: [
      "status",
      "is_valid",
      "message",
      "errors",
      "warnings",
      "chain_depth",
      "chain",
      "validated_at",
      "anchor",
      "policies",
      "common_name",
      "certificate_id",
      "certificates",
      "complete",
    ],
  },
  checkRevocation: {
    needs: [CHANGE],
    answers: [
      "certificate",
      "source",
      "source_url",
      "status",
      "reason",
      "revoked_at",
      "this_update",
      "next_update",
      "signer",
      "response_sha256",
      "message",
      "checked_at",
    ],
  },
  getCertificateDetails: { needs: [[CERTIFICATE, "view"]], id: ids.acmeWeb },
  detectAcme: {
    needs: [CHANGE],
    answers: ["detected", "message", "is_acme", "acme_provider", "certificate"],
  },
  checkCompliance: {
    needs: [POLICIES],
    answers: [
      "certificate_id",
      "certificate_name",
      "total_checks",
      "passed",
      "failed",
      "compliance_score",
      "checks",
    ],
  },
  renewCertificate: {
    needs: [[CERTIFICATE, "renew"], CHANGE],
    id: ids.acmeWeb,
    body: { pem_content: successor.pem },
    answers: ["old", "new", "assignments_moved", "requests_issued", "warnings"],
  },
  acknowledgeCertificate: {
    needs: [[CERTIFICATE, "acknowledge"]],
    answers: RESPONSE,
  },
  remindCertificate: {
    needs: [[CERTIFICATE, "acknowledge"]],
    answers: RESPONSE,
  },
  snoozeCertificate: {
    needs: [[CERTIFICATE, "acknowledge"]],
    body: { until: "2026-12-01" },
    answers: RESPONSE,
  },
  excludeIncidentCertificates: {
    needs: [INCIDENTS, [CERTIFICATE, "view"]],
    body: { ids: [ids.acmeWeb], reason: "Not used" },
    answers: ["changed", "missing_ids"],
  },
  includeIncidentCertificates: {
    needs: [INCIDENTS, [CERTIFICATE, "view"]],
    body: { ids: [ids.acmeWeb] },
    answers: ["changed", "missing_ids"],
  },
  resetSecondFactor: { needs: [["users.user", "change"]] },
  testWebhook: { needs: [["extras.webhook", "change"]] },
  redeliverWebhookDelivery: { needs: [["extras.webhook", "change"]] },
  testNotificationChannel: {
    needs: [["certmgr.notificationchannel", "change"]],
    body: { recipient: "alice@acme.example" },
  },
  probeEndpoint: {
    needs: [["certmgr.endpoint", "probe"]],
    answers: ["observation"],
  },
};

/** Actions on rows that the body names, by their operation. */
const LISTED_ACTIONS: Readonly<
  Record<
    string,
    Omit<OwnAction, "body"> & {
      readonly type: string;
      readonly body: (id: number) => unknown;
    }
  >
> = {
  exportCertificatesByBody: {
    type: CERTIFICATE,
    needs: [[CERTIFICATE, "view"]],
    body: (id) => ({ ids: [id], fields: ["id"] }),
  },
  bulkValidateChain: {
    type: CERTIFICATE,
    needs: [BULK, CHANGE],
    body: (id) => ({ ids: [id] }),
  },
  bulkCheckRevocation: {
    type: CERTIFICATE,
    needs: [BULK, CHANGE],
    body: (id) => ({ ids: [id] }),
  },
  bulkDetectAcme: {
    type: CERTIFICATE,
    needs: [BULK, CHANGE],
    body: (id) => ({ ids: [id] }),
  },
  bulkCheckCompliance: {
    type: CERTIFICATE,
    needs: [BULK, POLICIES],
    body: (id) => ({ certificate_ids: [id] }),
  },
  ...Object.fromEntries(
    ["bulkStatusUpdate", "bulkStatusUpdateAtRoot"].map((name) => [name, {
      type: CERTIFICATE,
      needs: [BULK, CHANGE],
      body: (id: number) => ({ ids: [id], status: "revoked" }),
    }]),
  ),
  ...Object.fromEntries(
    ["bulkAssign", "bulkAssignCertificates"].map((name) => [name, {
      type: CERTIFICATE,
      needs: [BULK, [ASSIGNMENT, "add"] as Permission],
      body: (id: number) => ({ certificate_ids: [id], ...DEVICE }),
    }]),
  ),
  tellOwners: {
    type: CERTIFICATE,
    needs: [[CERTIFICATE, "view"], CHANGE, ["tenancy.contact", "view"]],
    body: (id) => ({ ids: [id] }),
  },
  bulkProbeEndpoints: {
    type: "certmgr.endpoint",
    needs: [["certmgr.endpoint", "probe"]],
    body: (id) => ({ ids: [id] }),
  },
};

/** Operations that name no existing row of their own type. */
export const WITHOUT_ROWS: readonly string[] = [
  "importCertificate",
  "importCertificateFile",
  "bulkImportCertificates",
  "bulkImportCertificateData",
  "importCertificateSigningRequest",
  "previewIncident",
  "importEndpoints",
  "pushObservations",
  "sweepExpired",
  "provisionToken",
];

function resourceAt(path: string): Resource | undefined {
  return resources.find((resource) => path.startsWith(`/api/${resource.path}/`));
}

const ACTION_OF: Readonly<Record<string, string>> = {
  GET: "view",
  PUT: "change",
  PATCH: "change",
  DELETE: "delete",
};

/** Returns the action of an operation; undefined if it names no row. Throws if the operation is not known here. */
function actionOf(operation: Operation): Action[] {
  const { method, path, operationId } = operation;
  const resource = resourceAt(path);
  const listed = LISTED_ACTIONS[operationId];
  if (listed !== undefined) {
    const of = resources.find(({ objectType }) => objectType === listed.type) as Resource;
    return [{
      ...listed,
      name: operationId,
      resource: of,
      about: (id) => ({ method, path, body: listed.body(id) }),
    }];
  }
  if (resource === undefined || WITHOUT_ROWS.includes(operationId)) {
    if (method === "GET" || WITHOUT_ROWS.includes(operationId)) return [];
    throw new Error(`Add ${operationId} to tests/support/rights.ts`);
  }
  const base = `/api/${resource.path}/`;
  const sample = sampleOf(resource);
  const at = (id: number): string => path.replace("{id}", String(id));
  const replaced = { ...sample.create?.(1), ...sample.fixed };
  if (path === base) {
    if (method === "GET" || method === "POST") return [];
    const body = method === "PUT" ? replaced : method === "PATCH" ? sample.change : {};
    return [{
      name: operationId,
      resource,
      needs: [[resource.objectType, ACTION_OF[method] as string]],
      about: (id) => ({ method, path, body: [{ ...body, id }] }),
      ...(method === "DELETE" && sample.idle !== undefined ? { id: sample.idle } : {}),
    }];
  }
  if (!path.includes("{id}")) {
    if (method === "GET") return [];
    throw new Error(`Add ${operationId} to tests/support/rights.ts`);
  }
  const own = ITEM_ACTIONS[operationId];
  if (own !== undefined) {
    const { body, ...rest } = own;
    return [{
      name: operationId,
      resource,
      ...rest,
      about: (id) => ({ method, path: at(id), body }),
    }];
  }
  if (path !== `${base}{id}/` && method !== "GET") {
    throw new Error(`Add ${operationId} to tests/support/rights.ts`);
  }
  const body = method === "PUT" ? replaced : method === "PATCH" ? sample.change : undefined;
  return [{
    name: operationId,
    resource,
    needs: [[resource.objectType, ACTION_OF[method] as string]],
    about: (id) => ({ method, path: at(id), body }),
    ...(method === "DELETE" && sample.idle !== undefined ? { id: sample.idle } : {}),
  }];
}

/** All actions on rows, from the table of operations. */
export const actions: readonly Action[] = operations.flatMap(actionOf);

/**
 * Returns a digest of everything that is stored, except audit events and uses of tokens. Computes it again only if
 * something was written.
 */
export function storedState(database: TestDatabase): () => Promise<string> {
  let known: { bytes: number; digest: string } | undefined;
  return async () => {
    const bytes = await writtenBytes(database);
    if (known?.bytes !== bytes) {
      known = { bytes, digest: await digestOf(database) };
    }
    return known.digest;
  };
}

/** A statement for each table, which are the same in all databases of a process. */
let contents: Promise<SQL[]> | undefined;

async function digestOf(database: TestDatabase): Promise<string> {
  contents ??= contentsOf(database);
  const tables = await database.batch(await contents);
  return sha256Hex(JSON.stringify(tables));
}

/** Returns a statement for each table, which returns all of its rows as a text. */
async function contentsOf(database: TestDatabase): Promise<SQL[]> {
  const tables = await database.all<{ name: string }>(
    sql`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
        AND name NOT LIKE '%fts%' AND name NOT IN ('audit_events')`,
  );
  return await Promise.all(tables.map(async ({ name }) => {
    const columns = await database.all<{ name: string }>(
      sql`SELECT name FROM pragma_table_info(${name}) WHERE NOT (${name} = 'tokens' AND name = 'last_used')`,
    );
    const cells = sql.join(
      columns.map((column) => sql`quote(${sql.identifier(column.name)})`),
      sql`, `,
    );
    return sql`SELECT group_concat(line, char(10)) AS text FROM (SELECT concat_ws('|', ${cells}) AS line
        FROM ${sql.identifier(name)} ORDER BY line)`;
  }));
}

/** An id that no row has. */
export const MISSING = 987_654;

/** A probe that reaches no server. */
export const noProbe = (): Promise<never> =>
  Promise.resolve([{
    address: "192.0.2.1",
    latencyMs: null,
    failure: { kind: "unreachable", message: "The connection was refused." },
  }]) as unknown as Promise<never>;

/** Returns a user who may view some rows of a type, and may do everything else with all rows of all types. */
export function viewing(
  objectType: string,
  constraints: unknown,
  username: string,
): Actor {
  return granted([
    { types: [objectType], actions: ["view"], constraints },
    ...OBJECT_TYPES.map((type): GrantSpec => ({
      types: [type],
      actions: actionsOn(type).filter((action) => type !== objectType || action !== "view"),
    })),
  ], { username });
}

/** Enables webhooks and channels, so that they can be tested. */
export async function enableMessages({ database }: TestApp): Promise<void> {
  await database.write(async (tx) => {
    await tx.run(sql`UPDATE webhooks SET enabled = 1`);
    await tx.run(sql`UPDATE notification_channels SET enabled = 1`);
  });
}

/** Returns a row of another tenant than Acme; undefined if the type has no tenant. */
export async function rowOfOtherTenant(
  { database }: TestApp,
  { map, table }: Resource,
): Promise<number | undefined> {
  if (map.fields.tenant?.kind !== "reference") return undefined;
  const [row] = await database.all<{ id: number }>(
    sql`SELECT id FROM ${table} WHERE tenant_id = ${seed.tenants.globex} ORDER BY id LIMIT 1`,
  );
  return row?.id;
}
