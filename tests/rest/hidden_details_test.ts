/** What the service derives from an object that the caller may not view reads as if the object did not exist. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { OBJECT_TYPES } from "../../src/auth/mod.ts";
import { type Actor, granted } from "../support/actors.ts";
import { type Client, testApp } from "../support/app.ts";
import { resources } from "../../src/domain/registry.ts";
import { sampleOf } from "../support/samples.ts";
import { pki } from "../support/pki.ts";
import { seed } from "../support/seed.ts";
import { NEXT_CERTIFICATE, storeCertificates } from "../support/stored.ts";
import { browserOf, formOf } from "../web/imports/browser.ts";

const ROOT = "/api/plugins/certmgr";
/** Paths of pages with a form that has a required reference. */
const PAGES: Readonly<Record<string, string>> = {
  "certmgr.certificateassignment": "/assignments/",
  "dcim.devicetype": "/device-types/",
  "dcim.location": "/locations/",
  "virtualization.cluster": "/clusters/",
};

/** Returns a user who may view and change everything but the objects of a type with these ids. */
function allBut(type: string, ids: readonly number[]): Actor {
  const actions = ["view", "change", "import"];
  return granted([
    { types: OBJECT_TYPES.filter((other) => other !== type), actions },
    { types: [type], actions, constraints: { id__n: ids } },
  ]);
}

async function json(
  client: Client,
  path: string,
  method = "GET",
  body?: unknown,
  // deno-lint-ignore no-explicit-any
): Promise<any> {
  const response = await client(path, {
    method,
    ...(body === undefined ? {} : { body }),
  });
  assert.equal(
    response.status,
    200,
    `${path} ${await response.clone().text()}`,
  );
  return await response.json();
}

Deno.test("A chain ends below a hidden authority, and the stored result does not depend on the caller", async () => {
  await using app = await testApp();
  await storeCertificates(app, [{
    pem_content: pki.fresh.pem,
    issuer_chain: pki.issuing.pem,
  }]);
  await app.database.write((tx) =>
    tx.run(
      sql`UPDATE certificate_authorities SET pem_content = ${pki.root.pem}, last_updated = 7
               WHERE id = ${seed.authorities.internal}`,
    )
  );
  const path = `${ROOT}/certificates/${NEXT_CERTIFICATE}`;
  const actor = allBut("certmgr.certificateauthority", [
    seed.authorities.internal,
  ]);
  const results = [];
  for (const as of ["superuser", actor] as const) {
    const { anchor, chain_depth, certificates } = await json(
      await app.as(as),
      `${path}/validate-chain/`,
      "POST",
    );
    const { chain_status, chain_depth: stored } = await json(
      await app.as(as),
      `${path}/`,
    );
    const { html } = await (await (as === "superuser" ? browserOf(app) : browserOf(app, as)))
      .get(`/certificates/${NEXT_CERTIFICATE}/`);
    results.push([
      anchor,
      chain_depth,
      certificates.length,
      chain_status,
      stored,
      html.includes("a tracked authority"),
    ]);
  }
  assert.deepEqual(results, [
    ["tracked_ca", 3, 3, "valid", 3, true],
    ["none", 2, 2, "valid", 3, false],
  ]);
});

const DEVICE = seed.devices.edge;

/** Rows that refer to the hidden device, with the fields of the reference, and their pages. */
const GENERIC = [
  [
    "plugins/certmgr/assignments",
    "certificate_assignments",
    "assigned_object",
    "certificate_assignment",
    "notes",
  ],
  ["plugins/certmgr/endpoints", "endpoints", "assigned_object", "endpoint", "description"],
  ["ipam/services", "services", "parent_object", "service", "description"],
  ["tenancy/contact-assignments", "contact_assignments", "object", "contact_assignment", "priority"],
] as const;

for (const [path, table, prefix, name, text] of GENERIC) {
  Deno.test(`${path}: the id of a hidden object is null, and no filter finds it`, async () => {
    await using app = await testApp();
    const [type, id] = [`${prefix}_type`, `${prefix}_id`];
    await app.database.write((tx) =>
      tx.run(sql`UPDATE ${sql.identifier(table)} SET ${sql.identifier(type)} = 'dcim.device',
        ${sql.identifier(id)} = ${DEVICE} WHERE id = 1`)
    );
    const known = await app.as("superuser");
    const actor = allBut("dcim.device", [DEVICE]);
    const hidden = await app.as(actor);
    const row = (await json(known, `/api/${path}/1/`)) as Record<string, unknown>;
    assert.deepEqual([row[type], row[id]], ["dcim.device", DEVICE]);
    const seen = await json(hidden, `/api/${path}/1/`);
    assert.deepEqual([seen[type], seen[id]], ["dcim.device", null]);
    assert.doesNotMatch(JSON.stringify(seen), /dcim\.device \d/);
    const found = async (client: Client, query: string): Promise<number[]> =>
      (await json(client, `/api/${path}/?${query}&fields=id`)).results.map((one: { id: number }) => one.id);
    for (const query of [`${id}=${DEVICE}`, `${type}=dcim.device&${id}__gte=1`, `${id}__lte=${DEVICE}`]) {
      assert((await found(known, query)).includes(1), query);
      assert(!(await found(hidden, query)).includes(1), query);
    }
    assert((await found(hidden, `${id}__n=${DEVICE}`)).includes(1));
    assert.equal((await found(hidden, `ordering=${id}`))[0], 1);
    const query = `{ ${name}_list(filters: {id: 1}) { display ${type} ${id}
      ${prefix === "parent_object" ? "parent" : prefix} { ... on DeviceType { id } } } }`;
    for (const [client, shown] of [[hidden, null], [known, DEVICE]] as const) {
      const { data, errors } = await json(client, "/graphql/", "POST", { query });
      assert.equal(errors, undefined);
      const [object] = data[`${name}_list`];
      assert.deepEqual([object[type], object[id]], ["dcim.device", shown]);
      const target = object[prefix === "parent_object" ? "parent" : prefix];
      assert.equal(target === null ? null : Number(target.id), shown);
      assert.equal(/dcim\.device \d/.test(object.display), shown !== null && !/service|endpoint/.test(name));
    }
    const others = allBut("dcim.device", [DEVICE + 1]);
    const other = await app.as({ ...others, username: "other" });
    assert.equal((await json(other, `/api/${path}/1/`))[id], DEVICE);
    // The form is saved without a change of the hidden object, as is a null that was read.
    const browser = await browserOf(app, actor);
    const edit = `/${path.slice(path.lastIndexOf("/") + 1)}/1/edit/`;
    const { html } = await browser.get(edit);
    assert.match(html, /a device that you may not view/);
    assert.doesNotMatch(html, new RegExp(`dcim\\.device ${DEVICE}"`));
    const value = text === "priority" ? "secondary" : "changed";
    const posted = await browser.post(edit, { ...formOf(html), [text]: value });
    assert.equal(posted.status, 303, posted.html);
    const [method, body] = name === "certificate_assignment"
      ? ["PUT", { certificate: seen.certificate, notes: value }]
      : ["PATCH", {}];
    const nulls = await hidden(`/api/${path}/1/`, {
      method,
      body: { ...body, [type]: "dcim.device", [id]: null },
    });
    assert.equal(nulls.status, 200, await nulls.clone().text());
    const refused = await other(`/api/${path}/1/`, {
      method,
      body: { ...body, [type]: "dcim.device", [id]: null },
    });
    assert.deepEqual([refused.status, await refused.json()], [400, { [id]: ["This field is required."] }]);
    const now = await json(known, `/api/${path}/1/`);
    assert.deepEqual([now[type], now[id]], ["dcim.device", DEVICE]);
    assert.match(JSON.stringify(now[text]), new RegExp(value));
  });
}

Deno.test("An assignment of a hidden certificate shows no id", async () => {
  await using app = await testApp();
  const { certificate } = await json(await app.as("superuser"), `${ROOT}/assignments/1/`);
  const hidden = await app.as(allBut("certmgr.certificate", [certificate]));
  const seen = await json(hidden, `${ROOT}/assignments/1/`);
  assert.deepEqual([seen.certificate, seen.certificate_detail], [null, null]);
});

Deno.test("null for a required reference keeps a hidden object, and is refused for a visible one, in every type and form", async () => {
  const tried: string[] = [];
  for (const resource of resources) {
    const { methods: { item }, map, within } = resource;
    const method = item.includes("PATCH") ? "PATCH" : item.includes("PUT") ? "PUT" : undefined;
    for (const field of Object.values(resource.fields)) {
      const { name, refers: { target, foreignKey } = {}, input } = field;
      // An object is hidden together with the one of which it is a part.
      const isRequired = target !== undefined && !field.many && input?.safeParse(null).success === false;
      if (method === undefined || !isRequired || foreignKey === undefined || name === within) continue;
      const { seen } = sampleOf(resource);
      await using app = await testApp();
      const stored = async (): Promise<number> =>
        (await app.database.all<{ id: number }>(
          sql`SELECT ${sql.identifier(foreignKey.column)} AS id FROM ${
            sql.identifier(map.table)
          } WHERE id = ${seen}`,
        ))[0]?.id as number;
      const referred = await stored();
      const path = `/api/${resource.path}/${seen}/`;
      const actor = allBut(target().objectType, [referred]);
      const object = await json(await app.as(actor), path);
      assert.equal(object[name], null, `${path} ${name}`);
      const body = method === "PUT" ? object : { [name]: null };
      const kept = await (await app.as(actor))(path, { method, body });
      assert.equal(kept.status, 200, `${path} ${name}: ${await kept.text()}`);
      const refused = await (await app.as("superuser"))(path, { method, body });
      assert.deepEqual([refused.status, await refused.json()], [400, {
        [name]: ["This field may not be null."],
      }]);
      const page = PAGES[resource.objectType];
      if (page !== undefined) {
        const browser = await browserOf(app, actor);
        const { html } = await browser.get(`${page}${seen}/edit/`);
        assert.match(html, /You may not view the present object/);
        assert.doesNotMatch(new RegExp(`<[^<]*name="${name}"[^>]*>`).exec(html)?.[0] ?? "", /required/);
        const form = formOf(html);
        assert.equal((await browser.post(`${page}${seen}/edit/`, form)).status, 303, page);
      }
      assert.equal(await stored(), referred, `${path} ${name}`);
      tried.push(`${resource.objectType} ${name}`);
    }
  }
  assert.deepEqual(tried.sort(), [
    "certmgr.certificateassignment certificate",
    "certmgr.subscription user",
    "dcim.devicetype manufacturer",
    "dcim.location site",
    "users.token user",
    "virtualization.cluster type",
  ]);
});

Deno.test("discovered_via is empty for callers who may not view the endpoint", async () => {
  await using app = await testApp();
  const [endpoint, certificate] = [1, seed.certificates.acmeWeb];
  const { display } = await json(await app.as("superuser"), `${ROOT}/endpoints/${endpoint}/`);
  const via = `agent:edge endpoint ${display}`;
  await app.database.write((tx) =>
    tx.run(
      sql`UPDATE certificates SET discovered_via = ${via}, discovered_at_id = ${endpoint}, last_updated = 7
        WHERE id = ${certificate}`,
    )
  );
  const host = display.split(":")[0];
  const counts = [];
  for (const [username, hidden, shown] of [["a", endpoint + 1, via], ["b", endpoint, ""]] as const) {
    const actor = { ...allBut("certmgr.endpoint", [hidden]), username };
    const client = await app.as(actor);
    const path = `${ROOT}/certificates/`;
    assert.equal((await json(client, `${path}${certificate}/`)).discovered_via, shown);
    for (
      const filter of [`discovered_via=${host}`, `discovered_via__ic=${host}`, "discovered_via__empty=false"]
    ) {
      counts.push((await json(client, `${path}?${filter}`)).count);
    }
    const query = `{ certificate(id: ${certificate}) { discovered_via } }`;
    const { data } = await json(client, "/graphql/", "POST", { query });
    assert.equal(data.certificate.discovered_via, shown);
    const csv = await (await client(`${path}export/?format=csv&fields=id,discovered_via`)).text();
    assert.equal(csv.includes(via), shown !== "");
    const [first] = (await json(client, `${path}?ordering=-discovered_via&fields=id`)).results;
    assert.equal(first.id === certificate, shown !== "");
    const { html } = await (await browserOf(app, actor)).get(`/certificates/${certificate}/`);
    if (shown === "") assert.ok(!html.includes(`agent:edge endpoint`));
  }
  assert.deepEqual(counts, [1, 1, 1, 0, 0, 0]);
});
