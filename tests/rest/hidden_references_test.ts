/**
 * References to a hidden object look as if it did not exist: in every filter, order and field of every resource, in
 * REST, GraphQL and on pages. Two services get the same requests: in one the object is hidden from the caller, in the
 * other it and all references to it do not exist.
 */

import assert from "node:assert/strict";
import { OBJECT_TYPES } from "../../src/auth/mod.ts";
import { resources } from "../../src/domain/registry.ts";
import { SCHEMA_RESOURCES, type SchemaResource } from "../../src/graphql/schema/names.ts";
import { type FieldMap, type FilterField, type FilterName, filterNames } from "../../src/filters/mod.ts";
import { referrersOf, type Resource } from "../../src/resource/mod.ts";
import { listPath } from "../../src/web/paths.ts";
import { type Actor, granted } from "../support/actors.ts";
import { type Ask, type Client, testApp } from "../support/app.ts";
import { dependentRows, removeTraces, type Rows } from "../support/without_rows.ts";
import { seed } from "../support/seed.ts";
import { type Answer, browserOf } from "../web/imports/browser.ts";

/** Ids of objects of each type to which others refer. */
const HIDDEN: Readonly<Record<string, readonly number[]>> = {
  "certmgr.certificate": [seed.certificates.acmeWeb, seed.certificates.globexWeb],
  "certmgr.certificateauthority": [seed.authorities.internal, seed.authorities.acme],
  "certmgr.certificateassignment": [seed.assignments.acme],
  "certmgr.certificatesigningrequest": [seed.requests.issued],
  "certmgr.compliancepolicy": [seed.policies.keySize],
  "certmgr.compliancecheck": [seed.checks.failed],
  "certmgr.revocationcheck": [seed.revocationChecks.unavailable],
  "dcim.device": [seed.devices.edge],
  "virtualization.virtualmachine": [seed.machines.web],
  "ipam.service": [seed.services.https],
  "tenancy.tenant": [seed.tenants.acme, seed.tenants.globex],
  "tenancy.contact": [seed.contacts.web, seed.contacts.network],
  "tenancy.contactgroup": [seed.contactGroups.oncall],
  "tenancy.contactrole": [seed.contactRoles.owner],
  "tenancy.contactassignment": [seed.contactAssignments.certificate, seed.contactAssignments.tenant],
  "extras.tag": [seed.tags.prod],
};
/** Types without references that could be hidden, or whose objects describe every change. */
const EXCLUDED_TYPES = ["core.", "users."];
const ACTIONS = ["view", "manage_compliance"];

function allBut(hidden: Rows): Actor {
  const partly = [...hidden].map(([type, ids]) => ({
    types: [type],
    actions: ACTIONS,
    constraints: { id__n: [...ids] },
  }));
  return granted([...partly, { types: OBJECT_TYPES.filter((type) => !hidden.has(type)), actions: ACTIONS }]);
}

/** Object types of which rows are hidden. */
type HiddenTypes = ReadonlySet<string>;

/** Returns whether a field may read hidden rows of other tables. It is unknown what a predicate reads. */
function readsHidden(field: FilterField | undefined, types: HiddenTypes): boolean {
  if (field?.kind === "predicate") return true;
  return (field?.kind === "reference" || field?.kind === "many") && types.has(field.target().objectType);
}

/** Returns filters that may read hidden rows: in a list of such rows, on relations to them, and on predicates. */
function filtersOf({ map }: Resource, types: HiddenTypes): FilterName[] {
  return [...filterNames(map, { depth: 1 })].filter(({ name }) => {
    if (name === "q") return true;
    const field = fieldOf(name, map);
    const parts = name.split("__");
    // Across a relation, names without a suffix are enough: suffixes only change how a column is compared.
    if (parts.length > 2) return false;
    if (types.has(map.objectType)) return name in map.fields || isRelation(field);
    const across = isRelation(field) && parts[1] !== undefined ? field.target().fields[parts[1]] : undefined;
    return readsHidden(field, types) || readsHidden(across, types);
  });
}

/** Returns the field of a filter: the one with the longest name that begins the filter's. */
function fieldOf(filter: string, { fields }: FieldMap): FilterField | undefined {
  const names = Object.keys(fields).filter((name) => filter === name || filter.startsWith(`${name}_`));
  return fields[names.sort((a, b) => b.length - a.length)[0] ?? ""];
}

function isRelation(field: FilterField | undefined): field is Extract<FilterField, { target: unknown }> {
  return field?.kind === "reference" || field?.kind === "many";
}

function valuesOf({ type, choices = [] }: FilterName, hidden: number): readonly string[] {
  switch (type) {
    case "boolean":
      return ["true", "false"];
    case "choice":
      return [...choices.filter(Boolean), "null"];
    case "integer":
      return [String(hidden), "null"];
    case "datetime":
      return ["2026-06-20"];
    case "hex":
      return ["a"];
    default:
      return ["a", "prod", "null"];
  }
}

/** A hidden object, and the types of all rows that are hidden with it. */
interface Hidden {
  readonly id: number;
  readonly types: HiddenTypes;
}

function listProbes(resource: Resource, { id, types }: Hidden): string[] {
  const path = `/api/${resource.path}/`;
  const isHidden = types.has(resource.objectType);
  const sortable = Object.entries(resource.map.fields)
    .filter(([, field]) => "sortable" in field && field.sortable && (isHidden || readsHidden(field, types)))
    .map(([name]) => name);
  return [
    `${path}?limit=0&include_pem=true`,
    `${path}?brief=true`,
    ...sortable.flatMap((
      name,
    ) => [`${path}?ordering=${name}&fields=id`, `${path}?ordering=-${name}&fields=id`]),
    ...filtersOf(resource, types).flatMap((filter) =>
      valuesOf(filter, id).map((value) => `${path}?${filter.name}=${value}&fields=id`)
    ),
  ];
}

const ROOT = "/api/plugins/certmgr/";
const OTHERS: readonly string[] = [
  "/api/status/",
  ...["csv", "json", "yaml", "pem"].map((format) => `${ROOT}certificates/export/?format=${format}`),
  `${ROOT}certificates/export/?format=csv&fields=id,tenant,issuing_ca,tags,assignment_count`,
  `${ROOT}compliance-report/?status=any`,
  `${ROOT}compliance-report/?status=any&format=csv`,
  ...Object.values(seed.endpoints).map((id) => `${ROOT}endpoints/${id}/advice/`),
  ...Object.values(seed.certificates).flatMap((id) =>
    ["", "advice/", "lifecycle/", "renewal-candidates/"].map((part) => `${ROOT}certificates/${id}/${part}`)
  ),
];

/** Queries with an order, all fields of each object, and nested lists. */
const QUERIES = [
  ...["tenant", "-issuing_ca", "replaced_by"].map((order) =>
    `{ certificate_list(ordering: "${order}") { id assignment_count tenant { id } issuing_ca { name } tags { slug } } }`
  ),
  `{ tenant_list { id certificates(ordering: "-issuing_ca") { id } } }`,
];

/** Returns the filters of a resource in GraphQL, without suffixes; filters across relations are the same as in REST. */
function graphqlProbes({ resource, name }: SchemaResource, { id, types }: Hidden): string[] {
  const bare = resource.map.fields;
  return filtersOf(resource, types).filter((filter) => filter.name in bare).flatMap((filter) => {
    const quoted = !["boolean", "integer"].includes(filter.type);
    return valuesOf(filter, id).map((value) => {
      const literal = quoted && value !== "null" ? JSON.stringify(value) : value;
      return `{ ${name}_list(filters: {${filter.name}: ${literal}}) { id } }`;
    });
  });
}

async function answerOf(client: Client, [path, ask]: [string, Ask?]): Promise<string> {
  const response = await client(path, ask);
  const body = (await response.text()).replaceAll(response.headers.get("x-request-id") ?? "none", "…");
  return `${response.status} ${response.headers.get("etag")} ${body}`;
}

/** Returns a page without its form token, which differs in each response. */
function shown({ html }: Answer): string {
  return html.replaceAll(/value="[\w-]{115}"/g, "");
}

for (const target of resources.filter(({ objectType }) => objectType in HIDDEN)) {
  for (const id of HIDDEN[target.objectType] as readonly number[]) {
    Deno.test(`References to the hidden ${target.label} ${id} look as if it did not exist`, async () => {
      await using hiding = await testApp();
      await using lacking = await testApp();
      const rows = await dependentRows(hiding.database, target, id);
      await removeTraces(lacking.database, rows);
      const actor = allBut(rows);
      const hidden: Hidden = { id, types: new Set(rows.keys()) };
      // Outside the inventory, only lists that could reveal something about the object are requested.
      const referring = new Set([target, ...referrersOf(target).map(({ resource }) => resource)]);
      const asked = ({ relatedNames, resource }: SchemaResource): boolean =>
        relatedNames || referring.has(resource);
      const [one, other] = [await hiding.as(actor), await lacking.as(actor)];
      const lists = resources.filter(({ objectType }) =>
        !EXCLUDED_TYPES.some((app) => objectType.startsWith(app))
      );
      const probes: [string, Ask?][] = [
        ...lists.flatMap((resource) => listProbes(resource, hidden)).map((path): [string] => [path]),
        ...OTHERS.map((path): [string] => [path]),
        ...[...QUERIES, ...SCHEMA_RESOURCES.filter(asked).flatMap((entry) => graphqlProbes(entry, hidden))]
          .map((query): [string, Ask] => ["/graphql/", { method: "POST", body: { query } }]),
      ];
      const different: string[] = [];
      let good = 0;
      for (const probe of probes) {
        const [answer, expected] = [await answerOf(one, probe), await answerOf(other, probe)];
        if (answer.startsWith("200") && !answer.includes('"errors"')) good++;
        if (answer !== expected) {
          different.push(`${probe[0]} ${JSON.stringify(probe[1]?.body ?? "")}`);
        }
      }
      const [mine, theirs] = [await browserOf(hiding, actor), await browserOf(lacking, actor)];
      for (const path of ["/", "/compliance/", ...lists.map(listPath)]) {
        const [seen, expected] = [await mine.get(path), await theirs.get(path)];
        assert.equal(seen.status, expected.status);
        if (shown(seen) !== shown(expected)) different.push(`page ${path}`);
      }
      assert.deepEqual(different, [], `${different.length} of ${probes.length} answers differ`);
      assert(good > probes.length * 0.8, `Only ${good} of ${probes.length} requests were valid`);
    });
  }
}
