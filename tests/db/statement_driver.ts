/** Makes the service send its statements: every operation, filter, ordering, page and job. */

import { runDueJobs } from "../../src/domain/system/jobs/jobs.ts";
import { resources } from "../../src/domain/registry.ts";
import { checkDatabase } from "../../src/domain/system/checkup/check_database.ts";
import { drainOnce } from "../../src/domain/webhooks/sending/deliver.ts";
import { SCHEMA_RESOURCES } from "../../src/graphql/mod.ts";
import { type FilterName, filterNames } from "../../src/filters/mod.ts";
import { type Resource } from "../../src/resource/mod.ts";
import { routes } from "../../src/web/routes.ts";
import { OBJECT_TYPES } from "../../src/auth/mod.ts";
import { type Actor, granted, managerOf } from "../support/actors.ts";
import { type Client, type TestApp } from "../support/app.ts";
import type { CollectingDatabase } from "../support/collected_statements.ts";
import { operations } from "../support/operations.ts";
import { certificate, PATHS } from "../support/paths.ts";
import { pki } from "../support/pki.ts";
import { sampleOf } from "../support/samples.ts";
import { seed } from "../support/seed.ts";
import { browserOf } from "../web/imports/browser.ts";

/** May do everything, by permissions whose constraints cross relations. */
const CONSTRAINED: Actor = granted(
  OBJECT_TYPES.map((type) => ({
    types: [type],
    actions: ["view", "add", "change", "delete", "import", "renew", "bulk_operations", "manage_compliance"],
    constraints: { id__gt: 0 },
  })),
  { username: "constrained" },
);

/** Sends all requests and runs all jobs. */
export async function driveAll(app: TestApp, database: CollectingDatabase): Promise<void> {
  for (const actor of ["superuser", CONSTRAINED, managerOf("acme")] as const) {
    const client = await app.as(actor);
    await driveLists(client, database, { filters: actor === "superuser" });
    await driveGraphql(client, database);
  }
  for (const actor of ["superuser", CONSTRAINED] as const) {
    const client = await app.as(actor);
    await driveRest(client, database);
  }
  await drivePages(app, database);
  await driveJobs(app, database);
  for (const actor of [CONSTRAINED, "superuser"] as const) {
    await driveWrites(await app.as(actor), database, actor === "superuser" ? 500 : 700);
  }
  await driveJobs(app, database);
}

function valueOf({ type, choices }: FilterName): string {
  switch (type) {
    case "integer":
      return "2";
    case "boolean":
      return "true";
    case "datetime":
      return "2026-06-15";
    case "choice":
      return choices?.find((choice) => choice !== "") ?? "";
    case "hex":
      return "0a";
    case "regex":
      return "^a";
    default:
      return "acme";
  }
}

async function send(
  client: Client,
  database: CollectingDatabase,
  what: string,
  ...call: Parameters<Client>
): Promise<void> {
  database.doing = what;
  const response = await client(...call);
  await response.body?.cancel();
  if (response.status >= 500) throw new Error(`${what}: ${response.status}`);
}

/** Returns the filters of a resource, each with one value and with two, and its orderings. */
function queriesOf(resource: Resource, { filters: filtered }: { filters: boolean }): string[] {
  const map = resource.map;
  const filters = [...filterNames(map, { long: true }), ...filterNames(map, { depth: 1 })];
  const named = [...new Map(filters.map((filter) => [filter.name, filter])).values()];
  const sortable = Object.entries(map.fields).filter(([, field]) => "sortable" in field && field.sortable);
  return [
    ...(filtered ? named : []).flatMap((filter) => {
      const one = `${filter.name}=${encodeURIComponent(valueOf(filter))}`;
      return ["datetime", "boolean", "regex"].includes(filter.type) ? [one] : [one, `${one}&${one}9`];
    }),
    ...sortable.flatMap(([name]) => [`ordering=${name}`, `ordering=-${name}`]),
    "brief=true",
    "start=1",
    "offset=5000",
    "include_pem=true",
  ];
}

async function driveLists(
  client: Client,
  database: CollectingDatabase,
  options: { filters: boolean },
): Promise<void> {
  for (const resource of resources) {
    for (const query of queriesOf(resource, options)) {
      const path = `/api/${resource.path}/?${query}`;
      await send(client, database, `GET ${path}`, path);
    }
    const { seen } = sampleOf(resource);
    await send(client, database, `GET one ${resource.objectType}`, `/api/${resource.path}/${seen}/`);
  }
}

async function driveGraphql(client: Client, database: CollectingDatabase): Promise<void> {
  for (const { name, type } of SCHEMA_RESOURCES) {
    database.doing = `GraphQL ${name}`;
    const answer = await client("/graphql/", {
      method: "POST",
      body: {
        query:
          `{ __type(name: "${type}") { fields { name args { name } type { kind name ofType { kind name ofType { kind ofType { kind name } } } } } } }`,
      },
    });
    const { data } = await answer.json();
    const fields: string[] = data.__type.fields.map(
      // deno-lint-ignore no-explicit-any -- introspection
      ({ name, args, type: { kind, ofType } }: any) => {
        const lists = args.length > 0 && !name.endsWith("_total");
        const scalar = ["SCALAR", "ENUM"].includes(kind) || ["SCALAR", "ENUM"].includes(ofType?.kind) ||
          ["SCALAR", "ENUM"].includes(ofType?.ofType?.kind) ||
          ["SCALAR", "ENUM"].includes(ofType?.ofType?.ofType?.kind);
        if (lists) return `${name}(filters: {id__gt: 0}, pagination: {limit: 5}) { id }`;
        return scalar ? name : kind === "UNION" ? `${name} { __typename }` : `${name} { id }`;
      },
    );
    for (const query of [...fields, fields.filter((field) => !/pem|chain|text/.test(field)).join(" ")]) {
      await send(client, database, `GraphQL ${name} { ${query.slice(0, 60)} }`, "/graphql/", {
        method: "POST",
        body: {
          query:
            `{ ${name}_list(pagination: {limit: 5}) { ${query} } ${name}(id: 1) { ${query} } ${name}_list_total }`,
        },
      });
    }
  }
}

/** Sends the operations other than those of resources, with valid bodies. */
async function driveRest(client: Client, database: CollectingDatabase): Promise<void> {
  for (const { method, path } of operations) {
    if (method === "GET") {
      await send(client, database, `GET ${path}`, path.replace("{id}", "1"));
    }
  }
  for (const query of ["format=csv", "ids=1,2,3&format=yaml", "format=pem", "status=active"]) {
    await send(client, database, `export ${query}`, `${PATHS.certificates}export/?${query}`);
  }
  for (const query of ["tenant_id=1", "policy_id=1&format=csv", "severity=critical"]) {
    await send(client, database, `report ${query}`, `/api/plugins/certmgr/compliance-report/?${query}`);
  }
}

async function driveWrites(client: Client, database: CollectingDatabase, first: number): Promise<void> {
  const post = (path: string, body: unknown): Promise<void> =>
    send(client, database, `POST ${path}`, path, { method: "POST", body });
  const { fresh, other, issuing, root, byAcme } = pki;
  const text = [fresh, issuing, root, other, byAcme].map(({ pem }) => pem).join("");
  await post(`${PATHS.certificates}import/`, { pem_content: text, split: true, tags: [{ slug: "prod" }] });
  await post(`${PATHS.certificates}bulk-import/`, {
    certificates: [{ pem_content: fresh.pem, tenant: { slug: "acme" } }],
  });
  await post(`${PATHS.certificates}bulk-import/`, [{ pem_content: fresh.pem }]);
  for (const id of [1, 2, 3]) {
    for (const action of ["validate-chain", "detect-acme", "compliance-check"]) {
      await post(certificate(id, `${action}/`), {});
    }
    await send(client, database, "renewal", certificate(id, "renewal-candidates/"));
  }
  for (const { method, path } of operations.filter((one) => one.method === "POST")) {
    if (resources.some((resource) => path === `/api/${resource.path}/`)) continue;
    await send(client, database, `${method} ${path}`, path.replace("{id}", "1"), {
      method,
      body: {
        ids: [1, 2],
        certificate_ids: [1, 2],
        policy_ids: [1],
        status: "revoked",
        assigned_object_type: "dcim.device",
        assigned_object_id: 1,
        pem_content: issuing.pem,
      },
    });
  }
  let number = first;
  for (const resource of resources) {
    const path = `/api/${resource.path}/`;
    const { create, change, seen, idle } = sampleOf(resource);
    if (create === undefined) continue;
    const twoTags = "tags" in resource.fields ? { tags: [{ slug: "prod" }, seed.tags.pci] } : {};
    const bodies = [create(number++), { ...create(number++), ...twoTags }];
    const isAccount = resource.objectType === "users.user";
    await send(client, database, `POST ${path}`, path, {
      method: "POST",
      body: isAccount ? bodies[0] : bodies,
    });
    await send(client, database, `PUT ${path}`, `${path}${seen}/`, { method: "PUT", body: create(number++) });
    await send(client, database, `PATCH ${path}`, path, {
      method: "PATCH",
      body: [{ id: seen, ...change, ...twoTags }, { id: idle ?? seen + 1, ...change }],
    });
  }
  for (const resource of resources.toReversed()) {
    const path = `/api/${resource.path}/`;
    const { idle, seen } = sampleOf(resource);
    for (const id of [idle ?? 0, seen]) {
      await send(client, database, `DELETE ${path}`, `${path}${id}/`, { method: "DELETE" });
    }
    await send(client, database, `DELETE ${path}`, path, {
      method: "DELETE",
      body: [{ id: seen + 1 }, { id: seen + 2 }],
    });
  }
}

async function drivePages(app: TestApp, database: CollectingDatabase): Promise<void> {
  for (const actor of [undefined, CONSTRAINED]) {
    const browser = await browserOf(app, actor);
    for (const { method, path } of routes.filter((route) => route.method === "GET")) {
      database.doing = `page ${path}`;
      const { status } = await browser.get(path.replace(/:\w+(\{[^}]*\})?/g, "1"));
      if (status >= 500) throw new Error(`${method} ${path}: ${status}`);
    }
  }
}

async function driveJobs(app: TestApp, database: CollectingDatabase): Promise<void> {
  database.doing = "jobs";
  app.clock.advance(7_200_000);
  await runDueJobs(() => app.ctx, { owner: "driver" });
  database.doing = "delivery";
  await drainOnce(app.ctx, 50, {
    send: () => Promise.resolve({ status: 500, body: "", retryAfter: undefined } as never),
  });
  database.doing = "check";
  await checkDatabase({ database, kind: "file", now: app.clock.now() } as never).catch(() => undefined);
}
