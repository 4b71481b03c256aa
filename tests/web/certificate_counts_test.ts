/** Numbers of certificates in lists of tenants, contacts, authorities, tags, devices, virtual machines and services. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { type Actor, granted } from "../support/actors.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { callJson } from "../support/call_json.ts";
import { PATHS } from "../support/paths.ts";
import { TestCa } from "../support/test_ca/mod.ts";
import { type Browser, browserOf, CHIEF } from "./imports/browser.ts";

const LISTS = [
  "tenants",
  "contacts",
  "authorities",
  "tags",
  "devices",
  "virtual-machines",
  "services",
] as const;
const OBJECTS = [
  "tenancy.tenant",
  "tenancy.contact",
  "tenancy.contactassignment",
  "tenancy.contactrole",
  "certmgr.certificateauthority",
  "extras.tag",
  "dcim.device",
  "virtualization.virtualmachine",
  "ipam.service",
];

/** Returns a user who may view all objects, but only the certificates of one tenant. */
function within(types: readonly string[]): Actor {
  return granted([
    { types: [...OBJECTS, ...types], actions: ["view"] },
    {
      types: ["certmgr.certificate"],
      actions: ["view"],
      constraints: { tenant__slug: "acme" },
    },
  ]);
}

/** Assigns certificates of two tenants to a device, a virtual machine and services, of which two have these hosts. */
async function install(app: TestApp): Promise<void> {
  await app.database.write((tx) =>
    tx.run(
      sql`INSERT INTO services (id, name, protocol, ports, parent_object_type, parent_object_id, created, last_updated)
      VALUES (50, 'on device', 'tcp', '[443]', 'dcim.device', 2, 0, 0),
        (51, 'on machine', 'tcp', '[443]', 'virtualization.virtualmachine', 2, 0, 0)`,
    )
  );
  await app.database.write((tx) =>
    tx.run(sql`INSERT OR IGNORE INTO certificate_assignments
        (certificate_id, assigned_object_type, assigned_object_id, is_primary, notes, created, last_updated)
      SELECT c.id, t.value->>0, t.value->>1, 0, '', 0, 0 FROM certificates AS c CROSS JOIN json_each(${
      JSON.stringify([
        ["dcim.device", 2],
        ["virtualization.virtualmachine", 2],
        ["ipam.service", 2],
        ["ipam.service", 50],
        ["ipam.service", 51],
      ])
    }) AS t WHERE c.tenant_id IS NOT NULL`)
  );
}

/** Returns the number of each object with a link to its certificates, by the URL of the link. */
async function numbersOf(
  browser: Browser,
  list: string,
): Promise<Map<string, number>> {
  const { html } = await browser.get(`/${list}/`);
  const links = html.matchAll(
    /<td class="number[^"]*"[^>]*><a href="(\/certificates\/[^"]*)"[^>]*>([\d,]+)<\/a>/g,
  );
  return new Map(
    [...links].map((
      [, path = "", text = ""],
    ) => [path.replaceAll("&amp;", "&"), Number(text)]),
  );
}

for (
  const [who, actor] of [
    ["an administrator", CHIEF],
    [
      "somebody who sees one tenant's certificates",
      within(["certmgr.certificateassignment"]),
    ],
  ] as const
) {
  Deno.test(`each number of certificates is that of the list to which it links, for ${who}`, async () => {
    await using app = await testApp();
    await install(app);
    const browser = await browserOf(app, actor);
    const states = new Set<string>();
    for (const list of LISTS) {
      const numbers = await numbersOf(browser, list);
      assert(numbers.size > 0, list);
      for (const path of numbers.keys()) states.add(path.replace(/^.*?(?:expiry_status=|$)/, ""));
      for (const [path, number] of numbers) {
        const { html } = await browser.get(path);
        assert.equal(
          /(?:In use|All)<span class="count">([\d,]+)</.exec(html)?.[1],
          String(number),
          `${list}: ${path}`,
        );
      }
    }
    assert.deepEqual([...states].sort(), ["", "critical&expiry_status=warning", "expired"]);
  });
}

Deno.test("hosts list the certificates of the services that the user may view", async () => {
  await using app = await testApp();
  await install(app);
  await app.database.write((tx) =>
    tx.run(sql`UPDATE certificates SET status = 'active' WHERE status = 'revoked'`)
  );
  const chief = await browserOf(app);
  const blind = await browserOf(app, {
    ...granted([{
      types: [
        "dcim.device",
        "virtualization.virtualmachine",
        "certmgr.certificate",
        "certmgr.certificateassignment",
      ],
      actions: ["view"],
    }]),
    username: "blind",
  });
  for (const [list, by] of [["devices", "device"], ["virtual-machines", "virtual_machine"]] as const) {
    const path = `/certificates/?service__${by}_id=2`;
    const number = Number(/In use<span class="count">([\d,]+)</.exec((await chief.get(path)).html)?.[1]);
    assert(number > 0, list);
    const section = /<h2 id="through-services">Certificates of its services <span class="count">(\d+)</;
    const { html } = await chief.get(`/${list}/2/`);
    assert.equal(section.exec(html)?.[1], String(number));
    assert(html.includes(`<a href="${path}">View all certificates</a>`));
    assert.doesNotMatch((await blind.get(`/${list}/2/`)).html, section);
  }
});

Deno.test("revoked certificates that are still assigned or served are counted in lists, and first on the page of their object", async () => {
  await using app = await testApp();
  await install(app);
  await app.database.write((tx) =>
    tx.runAll([
      sql`UPDATE certificates SET status = 'active' WHERE status = 'revoked'`,
      sql`UPDATE certificates SET status = 'revoked', replaced_by_id = NULL, issuing_ca_id = 1, valid_to = 4102444800000
        WHERE id = (SELECT max(id) FROM certificates WHERE tenant_id = 1)`,
      sql`DELETE FROM certificate_assignments WHERE assigned_object_id <> 2`,
    ])
  );
  const browser = await browserOf(app);
  for (const list of ["tenants", "authorities", "devices", "virtual-machines", "services"]) {
    const { html } = await browser.get(`/${list}/`);
    const [, href = "", count] =
      /<a href="([^"]*&amp;status=revoked&amp;replaced_by__empty=true&amp;assigned_or_served=true)" class="badge bad">(\d+)</
        .exec(html) ?? [];
    assert.equal(count, "1", list);
    const path = href.replaceAll("&amp;", "&");
    const rows = (await browser.get(path)).html.match(/<td[^>]*><span class="badge lost">revoked</g) ?? [];
    assert.equal(rows.length, 1, path);
    const [, id] = /_id=(\d+)&/.exec(path) ?? [];
    const page = (await browser.get(`/${list}/${id}/`)).html;
    assert.ok(
      page.includes(`<p><a href="${href}" class="underlined">1 revoked but still assigned or served</a>`),
      list,
    );
    const first = page.split("<table")[1]?.split("</tr>")[1] ?? "";
    assert.match(first, /<span class="badge lost">revoked</, list);
  }
});

Deno.test("an object with only a revoked certificate that is still assigned or served says so", async () => {
  await using app = await testApp();
  await install(app);
  await app.database.write((tx) =>
    tx.runAll([
      sql`DELETE FROM certificate_assignments
        WHERE certificate_id <> (SELECT max(id) FROM certificates WHERE tenant_id = 1)`,
      sql`UPDATE certificates SET status = 'revoked', replaced_by_id = NULL`,
      sql`DELETE FROM endpoints`,
    ])
  );
  const browser = await browserOf(app);
  const { html } = await browser.get("/services/2/");
  assert.match(html, /<h2 id="certificates">Certificates in use <span class="count">1</);
  assert.match(html, /1 revoked but still assigned or served/);
  assert.match(html, /<a href="\/certificates\/\?service_id=2">View all certificates/);
  assert.doesNotMatch(html, /No certificate in use/);
  const host = (await browser.get("/devices/2/")).html;
  assert.match(host, /Certificates of its services <span class="count">1</);
});

Deno.test("an authority says when its certificate has expired, expires soon, or clients reject certificates for an issuer", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const browser = await browserOf(app);
  const set = async (notAfter: string): Promise<void> => {
    const { pem } = await TestCa.root({ cn: "Own CA", notAfter });
    await callJson(client, `${PATHS.authorities}1/`, "PATCH", { pem_content: pem });
    await app.database.write((tx) =>
      tx.run(sql`UPDATE certificates SET issuing_ca_id = 1, status = 'active', chain_status = 'valid'`)
    );
  };
  const banner = async (): Promise<string> =>
    /<div class="summary .*?<\/div>/s.exec((await browser.get("/authorities/1/")).html)?.[0] ?? "";
  await set("2026-06-10");
  assert.match(await banner(), /summary bad.*Expired .*2026-06-10.*5 days ago/s);
  assert.match(
    await banner(),
    /<a href="\/certificates\/\?issuing_ca_id=1">\d+ certificates in use depend<\/a> on it\./,
  );
  await set("2026-07-10");
  assert.match(await banner(), /summary warn.*Expires .*2026-07-10/s);
  await set("2036-07-10");
  assert.equal(await banner(), "");
  await app.database.write((tx) =>
    tx.run(sql`UPDATE certificates SET chain_status = 'expired', valid_to = 4102444800000
      WHERE id = (SELECT min(id) FROM certificates)`)
  );
  const path = "/certificates/?issuing_ca_id=1&amp;chain_status=expired&amp;expired=false";
  assert.ok((await banner()).includes(`Clients reject <a href="${path}">1 certificate in use</a>.`));
});

Deno.test("a host without certificates has those of its services first, and links to the endpoints of these", async () => {
  await using app = await testApp();
  await install(app);
  await app.database.write((tx) =>
    tx.runAll([
      sql`DELETE FROM certificate_assignments WHERE assigned_object_type = 'dcim.device'`,
      sql`UPDATE endpoints SET assigned_object_type = 'ipam.service', assigned_object_id = 50`,
    ])
  );
  const browser = await browserOf(app);
  const { html } = await browser.get("/devices/2/");
  assert.doesNotMatch(html, /<h2 id="certificates">|class="empty"/);
  assert.ok(
    html.indexOf('<h2 id="through-services">') <
      html.indexOf("No certificate in use is assigned to this device itself."),
  );
  const [, path = "", count = ""] =
    /<a href="([^"]*)">Endpoints of services<\/a><span class="count"> (\d+)/.exec(html) ?? [];
  assert.equal(path, "/endpoints/?service__device_id=2");
  const [all] = await app.database.all<{ n: number }>(sql`SELECT count(*) AS n FROM endpoints`);
  assert.ok(Number(count) > 0);
  assert.equal(Number(count), all?.n);
});

Deno.test("certificates and assignments that a user may not view are not counted", async () => {
  await using app = await testApp();
  await install(app);
  const [chief, reader, other] = [
    await browserOf(app),
    await browserOf(app, {
      ...within(["certmgr.certificateassignment"]),
      username: "reader",
    }),
    await browserOf(app, { ...within([]), username: "other" }),
  ];
  for (const list of ["devices", "virtual-machines", "services"]) {
    const [all, some] = [
      await numbersOf(chief, list),
      await numbersOf(reader, list),
    ];
    for (const [path, number] of some) {
      assert(number <= (all.get(path) ?? 0), `${list}: ${path}`);
    }
    const sum = (numbers: Map<string, number>): number => [...numbers.values()].reduce((a, b) => a + b, 0);
    assert(
      sum(some) > 0 && sum(some) < sum(all),
      `${list}: ${sum(some)} of ${sum(all)}`,
    );
    assert.equal(
      (await numbersOf(other, list)).size,
      0,
      `${list}, without assignments`,
    );
  }
  assert.deepEqual([...(await numbersOf(other, "tenants")).keys()], [
    "/certificates/?tenant_id=1",
    "/certificates/?tenant_id=1&expiry_status=expired",
    "/certificates/?tenant_id=1&expiry_status=critical&expiry_status=warning",
  ]);
});

Deno.test("a user who may not view certificates has no column with their number, and others can hide it", async () => {
  await using app = await testApp();
  const blind = await browserOf(
    app,
    granted([{ types: OBJECTS, actions: ["view"] }]),
  );
  const chief = await browserOf(app);
  const head = /<th scope="col"[^>]*>Certificates</;
  for (const list of LISTS) {
    assert.match((await chief.get(`/${list}/`)).html, head, list);
    assert.doesNotMatch((await blind.get(`/${list}/`)).html, head, list);
  }
  const before = app.database.statements;
  await chief.get("/tenants/");
  const counted = app.database.statements - before;
  await chief.get("/tenants/?columns=slug");
  assert.equal(
    app.database.statements - before - counted,
    counted - 1,
    "one statement counts",
  );
  assert.doesNotMatch((await chief.get("/tenants/?columns=slug")).html, head);
});

Deno.test("columns that are empty in all rows are left out, unless the user has chosen them", async () => {
  await using app = await testApp();
  await app.database.write((tx) => tx.run(sql`UPDATE devices SET site_id = NULL, role_id = NULL`));
  const browser = await browserOf(app);
  const site = /<th scope="col"[^>]*>(<a[^>]*>)?Site</;
  const { html } = await browser.get("/devices/");
  assert.doesNotMatch(html, site);
  assert.match(
    html,
    /<input type="checkbox" name="columns" value="site" checked/,
    "the menu still has it",
  );
  assert.match((await browser.get("/devices/?columns=site")).html, site);
  await app.database.write((tx) => tx.run(sql`UPDATE devices SET site_id = 1 WHERE id = 1`));
  assert.match((await browser.get("/devices/")).html, site);
});
