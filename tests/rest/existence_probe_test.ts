/**
 * No response reveals whether a hidden row exists. Two services get the same requests: in one the row is hidden from
 * the caller, in the other it does not exist. Their responses must be the same bytes.
 */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { OBJECT_TYPES } from "../../src/auth/mod.ts";
import { resources } from "../../src/domain/registry.ts";
import type { Field, Resource } from "../../src/resource/mod.ts";
import { type Actor, granted } from "../support/actors.ts";
import { type Ask, type Client, testApp } from "../support/app.ts";
import { operations } from "../support/operations.ts";
import { type Sample, sampleOf } from "../support/samples.ts";

const ACTIONS = [
  "view",
  "add",
  "change",
  "delete",
  "import",
  "renew",
  "bulk_operations",
  "manage_compliance",
];

/** Returns a caller who may do everything with every row except one. */
function allBut({ objectType }: Resource, hidden: number): Actor {
  return granted([
    { types: [objectType], actions: ACTIONS, constraints: { id__n: hidden } },
    { types: OBJECT_TYPES.filter((type) => type !== objectType), actions: ACTIONS },
  ]);
}

/** Returns a request about a row, by the id of the row. */
type Probe = (id: number) => [path: string, ask?: Ask];

/** Returns status, body and headers of a response, without parts that always differ. */
async function answerOf(client: Client, [path, ask]: [string, Ask?]): Promise<string> {
  const response = await client(path, ask);
  const body = (await response.text()).replaceAll(response.headers.get("x-request-id") ?? "none", "…");
  const headers = [...response.headers].filter(([name]) => name !== "x-request-id");
  return JSON.stringify([response.status, headers, body], null, 1);
}

/** Returns every request that refers to a row of the resource by its URL or in a list. */
function ownProbes(resource: Resource, sample: Sample): Probe[] {
  const path = `/api/${resource.path}/`;
  const body = { ...sample.create?.(1) };
  const seen = { ...body, id: sample.seen };
  const probes: Probe[] = resource.methods.item.flatMap((method): Probe[] => [
    (id) => [`${path}${id}/`, { method, body: method === "GET" ? undefined : body }],
    (id) => [`${path}${id}/`, { method, body: method === "GET" ? undefined : { name: 5, pem_content: 5 } }],
    (id) => [`${path}${id}/`, { method, headers: { "if-match": 'W/"1"', "if-none-match": "*" } }],
    (id) => [`${path}${id}/?brief=true&fields=id`, { method }],
  ]);
  for (const method of resource.methods.collection.filter((one) => one !== "GET" && one !== "POST")) {
    probes.push(
      (id) => [path, { method, body: [{ ...body, id }] }],
      (id) => [path, { method, body: [seen, { id }] }],
    );
  }
  for (const name of ["id", "id__in", "id__gte", "id__n", "start", "q"]) {
    probes.push((id) => [`${path}?${name}=${id}&limit=0&fields=id`]);
  }
  for (
    const operation of operations.filter((one) =>
      one.path.startsWith(`${path}{id}/`) && one.path !== `${path}{id}/`
    )
  ) {
    const method = operation.method;
    probes.push((
      id,
    ) => [operation.path.replace("{id}", String(id)), { method, body: method === "GET" ? undefined : {} }]);
  }
  return probes;
}

/** Returns requests that refer to a row from another resource: written references and filters. */
function referenceProbes(target: Resource): Probe[] {
  return resources.flatMap((resource): Probe[] => {
    const path = `/api/${resource.path}/`;
    const sample = sampleOf(resource);
    const fields = Object.values(resource.fields);
    const generic = fields.filter((field) => field.refers?.targets?.includes(target));
    return [
      ...generic.flatMap((field) => genericProbes(path, { field, sample, target })),
      ...fields.filter((field) => field.refers?.target?.() === target).flatMap((field) => [
        ...filterProbes(path, field),
        ...(field.input === undefined ? [] : writeProbes(path, { field, sample })),
      ]),
    ];
  });
}

/** Returns requests with references by type and id. */
function genericProbes(
  path: string,
  { field, sample, target }: { field: Field; sample: Sample; target: Resource },
): Probe[] {
  const { column, typeColumn } = field.refers?.foreignKey as { column: string; typeColumn: string };
  const bodyOf = (id: number): Record<string, unknown> => ({
    ...sample.create?.(1),
    [typeColumn]: target.objectType,
    [column]: id,
  });
  return [
    (id) => [path, { method: "POST", body: bodyOf(id) }],
    (id) => [`${path}${sample.seen}/`, { method: "PUT", body: bodyOf(id) }],
    (id) => [`${path}?${column}=${id}&${typeColumn}=${target.objectType}`],
  ];
}

function filterProbes(path: string, field: Field): Probe[] {
  const [name] = Object.keys(field.filters);
  if (name === undefined) return [];
  return [`${name}_id`, `${name}_id__n`, `${name}__id__lte`].map(
    (filter) => (id) => [`${path}?${filter}=${id}&fields=id`],
  );
}

function writeProbes(path: string, { field, sample }: { field: Field; sample: Sample }): Probe[] {
  const valueOf = (id: number): unknown => field.many ? [id] : id;
  const attributes = (id: number): unknown => field.many ? [{ id }] : { id };
  return [valueOf, attributes].flatMap((make): Probe[] => [
    (id) => [path, { method: "POST", body: { ...sample.create?.(1), [field.name]: make(id) } }],
    (id) => [`${path}${sample.seen}/`, { method: "PATCH", body: { [field.name]: make(id) } }],
    (id) => [path, { method: "PATCH", body: [{ id: sample.seen, [field.name]: make(id) }] }],
  ]);
}

/** Bulk requests on certificates, with lists of ids. */
const BULK: readonly Probe[] = [
  (
    id,
  ) => ["/api/plugins/certmgr/certificates/export/", {
    method: "POST",
    body: { ids: [1, id], fields: ["id"] },
  }],
  (id) => [`/api/plugins/certmgr/certificates/export/?ids=${id}`],
  ...["bulk-validate-chain", "bulk-check-revocation", "bulk-detect-acme", "bulk-status-update"].map(
    (name): Probe => (id) => [
      `/api/plugins/certmgr/certificates/${name}/`,
      { method: "POST", body: { ids: [id], status: "revoked" } },
    ],
  ),
  (
    id,
  ) => ["/api/plugins/certmgr/certificates/bulk-compliance-check/", {
    method: "POST",
    body: { certificate_ids: [id] },
  }],
  (id) => ["/api/plugins/certmgr/certificates/bulk-assign/", {
    method: "POST",
    body: { certificate_ids: [id], assigned_object_type: "dcim.device", assigned_object_id: 1 },
  }],
  (id) => ["/api/plugins/certmgr/certificates/1/renew/", { method: "POST", body: { certificate: id } }],
];

for (const resource of resources) {
  const sample = sampleOf(resource);
  const { idle: hidden = sample.hidden } = sample;
  Deno.test(`A hidden ${resource.label} looks like a missing one in every response`, async (t) => {
    await using hiding = await testApp();
    await using lacking = await testApp();
    await lacking.database.write((tx) => tx.run(sql`DELETE FROM ${resource.table} WHERE id = ${hidden}`));
    const actor = allBut(resource, hidden);
    const [one, other] = [await hiding.as(actor), await lacking.as(actor)];
    const probes = [
      ...ownProbes(resource, sample),
      ...referenceProbes(resource),
      ...(resource.objectType === "certmgr.certificate" ? BULK : []),
    ];
    for (const probe of probes) {
      const request = probe(hidden);
      const { method = "GET", body } = request[1] ?? {};
      await t.step(`${method} ${request[0]} ${JSON.stringify(body ?? "").slice(0, 80)}`, async () => {
        assert.equal(await answerOf(one, request), await answerOf(other, request));
      });
    }
    assert(probes.length > 5, `Only ${probes.length} requests`);
  });
}
