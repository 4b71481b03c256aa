/** Scenarios that are common to devices and virtual machines, which are both hosts of services and certificates. */

import assert from "node:assert/strict";
import { granted } from "./actors.ts";
import { filterTest } from "./filters.ts";
import { make } from "./make.ts";
import { PATHS } from "./paths.ts";
import { scenario } from "./scenario.ts";
import { seed } from "./seed.ts";

/** One of the two types of hosts. */
interface Host {
  readonly path: string;
  readonly type: string;
  /** The label in messages: `Device`. */
  readonly label: string;
}

const KEY = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA==\n-----END PRIVATE KEY-----\n";

/** Registers the scenarios of one type of host. */
export function hostScenarios(host: Host): void {
  creation(host);
  uniqueness(host);
  permissions(host);
  deletion(host);
  filterTest(`A filter of ${host.path} selects the rows that the same filter in memory selects`, {
    path: host.path,
    filters: [
      ["name=alpha", (row) => row.name === "alpha"],
      ["name__ic=ALPHA", (row) => row.name.includes("alpha")],
      ["description__ic=RACK", (row) => /rack/i.test(row.description)],
      ["tenant=acme", (row) => row.tenant?.slug === "acme"],
      ["tenant_id=null", (row) => row.tenant === null],
      ["tag=prod", (row) => row.tags.some((tag: { slug: string }) => tag.slug === "prod")],
      ["q=rack", (row) => /rack/i.test(`${row.name}${row.description}`)],
    ],
    before: async (app) => {
      await make(app, host.path, [
        { name: "alpha", tenant: { slug: "acme" }, tags: [{ slug: "prod" }] },
        { name: "alpha-2", description: "Rack 7" },
        { name: "rack", tenant: { slug: "globex" } },
      ]);
    },
  });
}

function creation({ path, type }: Host): void {
  scenario(`POST ${path} stores every field`, {
    as: "superuser",
    post: path,
    body: {
      name: " db-1 ",
      description: "Rack 4",
      tenant: { slug: "acme" },
      tags: [seed.tags.prod],
      status: "planned",
      role: { slug: "web-server" },
      site: seed.sites.seen,
      cluster: { name: "zrh-kvm-1" },
      platform: { slug: "debian-13" },
      unknown_field: 1,
    },
    status: 201,
    changes: [`create ${type}`],
    json: (body) => {
      assert.deepEqual([body.name, body.description, body.display], ["db-1", "Rack 4", "db-1"]);
      assert.deepEqual([body.tenant.slug, body.tags[0].slug], ["acme", "prod"]);
      assert.deepEqual(body.status, { value: "planned", label: "Planned" });
      assert.deepEqual([body.role.slug, body.site.slug, body.cluster.name, body.platform.slug], [
        "web-server",
        "zurich-1",
        "zrh-kvm-1",
        "debian-13",
      ]);
      assert(!("unknown_field" in body));
    },
  });
  scenario(`POST ${path} needs the name only`, {
    as: "superuser",
    post: path,
    body: { name: "db-1" },
    status: 201,
    changes: [`create ${type}`],
    json: ({ description, tenant, tags }) => assert.deepEqual([description, tenant, tags], ["", null, []]),
  });
  const faults: readonly [body: Record<string, unknown>, errors: Record<string, string[]>][] = [
    [{}, { name: ["This field is required."] }],
    [{ name: " " }, { name: ["This field may not be blank."] }],
    [{ name: null }, { name: ["This field may not be null."] }],
    [{ name: "x".repeat(201) }, { name: ["Ensure this field has no more than 200 characters."] }],
    [{ name: "x", tenant: 99 }, {
      tenant: ["Related object not found using the provided numeric ID: 99."],
    }],
    [{ name: "x", description: KEY }, {
      description: ["Private key detected. Private keys are never stored."],
    }],
  ];
  for (const [body, equals] of faults) {
    scenario(`POST ${path} refuses ${JSON.stringify(body).slice(0, 50)}`, {
      as: "superuser",
      post: path,
      body,
      status: 400,
      equals,
    });
  }
}

function uniqueness({ path, type, label }: Host): void {
  const message = `${label} with this Name and Tenant already exists.`;
  const named = (tenant: string | null): Record<string, unknown> => ({
    name: "twin",
    tenant: tenant === null ? null : { slug: tenant },
  });
  for (const tenant of ["acme", null]) {
    const where = tenant === null ? "outside of all tenants" : "in one tenant";
    scenario(`POST ${path} refuses a second name ${where}`, {
      as: "superuser",
      before: async (app) => void await make(app, path, [named(tenant)]),
      post: path,
      body: named(tenant),
      status: 400,
      equals: { __all__: [message] },
    });
    scenario(`POST ${path} refuses a list with one name twice ${where}`, {
      as: "superuser",
      post: path,
      body: [named(tenant), named(tenant)],
      status: 400,
      equals: [{}, { __all__: [message] }],
    });
  }
  scenario(`POST ${path} takes one name in each tenant`, {
    as: "superuser",
    post: path,
    body: [named("acme"), named("globex"), named(null)],
    status: 201,
    changes: Array(3).fill(`create ${type}`),
  });
}

function permissions({ path, type }: Host): void {
  const own = granted([
    { types: [type], actions: ["view", "add", "change"], constraints: { tenant__slug: "acme" } },
    { types: ["tenancy.tenant"], actions: ["view"] },
  ]);
  scenario(`POST ${path} whose result lies outside the caller's constraints is refused`, {
    as: own,
    post: path,
    body: { name: "x", tenant: { slug: "globex" } },
    status: 403,
  });
  scenario(`PATCH ${path}{id}/ that moves it out of the caller's constraints is refused`, {
    as: own,
    before: async (app) => void await make(app, path, [{ name: "mine", tenant: { slug: "acme" } }]),
    patch: `${path}${next(path)}/`,
    body: { tenant: null },
    status: 403,
  });
}

/**
 * Registers scenarios of deletions. Generic references are not foreign keys of the database, but they are enforced,
 * too.
 */
function deletion({ path, type }: Host): void {
  for (const [what, inUse] of [["a certificate", "1 assignment"], ["a service", "1 service"]] as const) {
    scenario(`DELETE ${path}{id}/ is refused while ${what} hangs on it`, {
      as: "superuser",
      before: async (app) => {
        const [{ id }] = await make(app, path, [{ name: "busy" }]);
        assert.equal(id, next(path));
        if (what === "a service") {
          await make(app, PATHS.services, [{ name: "s", parent_object_type: type, parent_object_id: id }]);
        } else {
          const target = { assigned_object_type: type, assigned_object_id: id };
          await make(app, PATHS.assignments, [{ certificate: seed.certificates.shared, ...target }]);
        }
      },
      delete: `${path}${next(path)}/`,
      status: 409,
      equals: { detail: `Unable to delete object. 1 dependent objects were found: ${inUse}` },
    });
  }
}

/** Returns the id that the next row will get. */
function next(path: string): number {
  return Object.keys(path === PATHS.devices ? seed.devices : seed.machines).length + 1;
}
