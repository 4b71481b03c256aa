/** The list of certificates and the dashboard show certificates that need attention first. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { DAY_MS } from "../../src/base/clock.ts";
import { certificates, STATUSES } from "../../src/domain/certificates/mod.ts";
import { updateObjects } from "../../src/resource/mod.ts";
import { type Actor, granted } from "../support/actors.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { callJson } from "../support/call_json.ts";
import { make } from "../support/make.ts";
import { PATHS } from "../support/paths.ts";
import { seed } from "../support/seed.ts";
import { metadata, storeCertificates } from "../support/stored.ts";
import { browserOf, formOf, textOf } from "./imports/browser.ts";

/** Stores an expired and a current certificate of each status; the expired active one also has a successor. */
async function inventory(app: TestApp): Promise<void> {
  await app.database.write((tx) => tx.run(sql`DELETE FROM certificates`));
  const bodies = STATUSES.flatMap((status, index) =>
    [-10, 10].map((days, second) =>
      metadata(2 * index + second + 1, {
        status,
        common_name: `${status}${days < 0 ? "-old" : "-new"}.example`,
        valid_from: new Date(app.clock.now() - 100 * DAY_MS).toISOString(),
        valid_to: new Date(app.clock.now() + days * DAY_MS).toISOString(),
      })
    )
  );
  await storeCertificates(app, bodies);
}

const namesIn = (html: string): string[] =>
  [...html.replaceAll(/<wbr>|<\/?span>/g, "").matchAll(/class="object"[^>]*><bdi[^>]*>([^<]*)/g)].map((
    [, name = ""],
  ) => name);

Deno.test("overdue=true finds expired certificates without a successor that are neither replaced nor revoked", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  await inventory(app);
  const path = "/api/plugins/certmgr/certificates/?fields=common_name&limit=50&overdue=";
  const names = async (value: string): Promise<string[]> =>
    (await callJson(client, path + value)).results
      .map((row: { common_name: string }) => row.common_name).sort();
  assert.deepEqual(await names("true"), ["active-old.example", "expired-old.example", "pending-old.example"]);
  assert.equal((await names("false")).length, 2 * STATUSES.length - 3);
  await app.database.write((tx) =>
    tx.run(sql`UPDATE certificates SET replaced_by_id = (SELECT id FROM certificates
      WHERE common_name = 'active-new.example') WHERE common_name = 'expired-old.example'`)
  );
  assert.deepEqual(await names("true"), ["active-old.example", "pending-old.example"]);
});

Deno.test("the list shows current certificates by expiry; show=all adds replaced and revoked ones", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  await inventory(app);
  const current = namesIn((await browser.get("/certificates/")).html);
  assert.deepEqual(current.map((name) => name.endsWith("-old.example")), [
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
  assert(current.every((name) => /^(active|pending|expired)-/.test(name)), String(current));
  assert.equal(namesIn((await browser.get("/certificates/?show=all")).html).length, 2 * STATUSES.length);
  assert.deepEqual(namesIn((await browser.get("/certificates/?status=revoked&ordering=-valid_to")).html), [
    "revoked-new.example",
    "revoked-old.example",
  ]);
});

Deno.test("the list warns of an expiry unless the certificate is replaced or revoked", async () => {
  await using app = await testApp();
  await inventory(app);
  const { html } = await (await browserOf(app)).get("/certificates/?show=all&columns=valid_to");
  const tones = html.split("<tr").slice(2).map((row) => [
    namesIn(row)[0]?.split("-")[0],
    /<span class="badge (\w+)">(?:in )?10 days/.exec(row)?.[1],
  ]);
  const expected = ["bad", "lost"].flatMap((tone) =>
    STATUSES.map((status) => [status, ["replaced", "revoked"].includes(status) ? "plain" : tone])
  );
  assert.deepEqual(tones.toSorted(), expected.toSorted());
});

Deno.test("the list of replaced certificates is a part of All, has the latest first, and names the successors", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  await inventory(app);
  await app.database.write((tx) =>
    tx.run(sql`UPDATE certificates
      SET replaced_by_id = (SELECT id FROM certificates WHERE common_name = 'active-new.example')
      WHERE common_name = 'replaced-old.example'`)
  );
  const { html } = await browser.get("/certificates/?show=all&status=replaced");
  assert.deepEqual(
    namesIn(html).filter((name) => name.startsWith("replaced-")),
    [
      "replaced-new.example",
      "replaced-old.example",
    ],
  );
  const heads = [...html.matchAll(/<th scope="col"[^>]*>(?:<a[^>]*>)?([^<]+)/g)].map(([, head = ""]) => head);
  assert.match(heads.join(), /^Common name,Expires[^,]*,Replaced by,Owner,Chain$/);
  assert.match(textOf(html), /active-new\.example/);
  assert.doesNotMatch(html, /still at/);
  await app.database.write((tx) =>
    tx.run(sql`UPDATE endpoints SET certificate_id = (SELECT id FROM certificates
      WHERE common_name = 'replaced-old.example') WHERE id IN (${seed.endpoints.acme}, ${seed.endpoints.globex})`)
  );
  assert.match(
    (await browser.get("/certificates/?show=all&status=replaced")).html,
    /<span class="badge warn">still at 2 endpoints<\/span>/,
  );
  assert.match(html, /aria-current="page">All<span class="count">2</);
  assert.doesNotMatch(textOf(html), /not assigned/);
  assert.match(
    (await browser.get("/certificates/?status=replaced")).html,
    /aria-current="page">All<span/,
  );
});

Deno.test("a stored result of a chain is a plain word where the certificate has expired or is revoked", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  await inventory(app);
  await app.database.write((tx) => tx.run(sql`UPDATE certificates SET chain_status = 'valid'`));
  const chains = async (query: string): Promise<unknown> => {
    const { html } = await browser.get(
      `/certificates/?show=all&columns=chain_status&${query}`,
    );
    return html.split("<tr").slice(2).map((row) =>
      /title="(The certificate[^"]*)">(\w+)</.exec(row)?.slice(1).join(": ") ??
        /<span class="badge \w+">(\w+)<\/span><\/td>/.exec(row)?.[1]
    );
  };
  assert.deepEqual(await chains("status=replaced"), [
    "valid",
    "The certificate has expired: expired",
  ]);
  assert.deepEqual(await chains("status=revoked"), Array(2).fill("The certificate is revoked: revoked"));
  assert.deepEqual(await chains("status=active"), [
    "The certificate has expired: expired",
    "valid",
  ]);
  // The filter selects by the stored result.
  assert.equal(
    ((await chains("status=active&chain_status=valid")) as unknown[]).length,
    2,
  );
});

Deno.test("every month of the dashboard leads to the list that it counts", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const { html } = await browser.get("/");
  const bars = [
    ...html.matchAll(
      /<tr><td><a href="(\/certificates\/[^"]*)">[^<]*<\/a><\/td><td class="number">([\d,]+)</g,
    ),
  ];
  assert.equal(bars.length, 12);
  for (const [, path = "", count = ""] of bars) {
    const list = await browser.get(`${path.replaceAll("&amp;", "&")}&limit=1000`);
    assert.equal(list.status, 200, path);
    assert.equal(list.html.match(/name="ids"/g)?.length ?? 0, Number(count), path);
  }
});

Deno.test("the dashboard counts overdue certificates first and lists them before those that expire next", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  await inventory(app);
  const { html } = await browser.get("/");
  assert.match(
    html,
    /<a class="card tile bad" href="\/certificates\/\?overdue=true">[^]*?<strong>3<\/strong>/,
  );
  // The groups do not overlap.
  assert.match(html, /expire within 14 days/);
  assert.match(html, /expire in 15 to 30 days/);
  const names = namesIn(html);
  assert.deepEqual(names.slice(0, 3).map((name) => name.endsWith("-old.example")), [true, true, true]);
  assert.deepEqual(names.slice(3).sort(), [
    "active-new.example",
    "expired-new.example",
    "pending-new.example",
  ]);
});

Deno.test("revoked certificates that are still assigned are on the dashboard, and their pages demand a replacement", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  await inventory(app);
  const [{ id }] = await app.database.all<{ id: number }>(
    sql`SELECT id FROM certificates WHERE common_name = 'revoked-new.example'`,
  ) as [{ id: number }];
  const before = await browser.get("/");
  assert.doesNotMatch(before.html, /revoked-new\.(<wbr>)?example/);
  assert.doesNotMatch(before.html, /a replaced certificate/);
  assert.match((await browser.get(`/certificates/${id}/`)).html, /<strong>Revoked\.<\/strong>/);
  await make(app, PATHS.assignments, [{
    certificate: id,
    assigned_object_type: "dcim.device",
    assigned_object_id: seed.devices.edge,
  }]);
  const { html } = await browser.get("/");
  assert.match(textOf(html), /1 revoked certificate is still assigned or served/);
  assert.ok(namesIn(html).includes("revoked-new.example"));
  const detail = (await browser.get(`/certificates/${id}/`)).html;
  assert.match(
    detail,
    /<div class="summary bad">[^]*<strong>Revoked and still assigned\.<\/strong>/,
  );
  assert.match(
    detail,
    new RegExp(`<strong>Next:</strong> <a href="/certificates/${id}/renew/">Replace it now</a>`),
  );
});

Deno.test("the dashboard shows five certificates that are still assigned or served, of each kind at least one, and links to the others", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  await inventory(app);
  const install = async (): Promise<void> => {
    const rows = await app.database.all<{ id: number }>(sql`SELECT id FROM certificates
      WHERE id NOT IN (SELECT certificate_id FROM certificate_assignments)`);
    await make(
      app,
      PATHS.assignments,
      rows.map(({ id }) => ({
        certificate: id,
        assigned_object_type: "dcim.device",
        assigned_object_id: seed.devices.edge,
      })),
    );
  };
  const section = async (): Promise<string> =>
    /<section aria-labelledby="still-used".*?<\/section>/s.exec((await browser.get("/")).html)?.[0] ?? "";
  const shown = (html: string): string[] => namesIn(html).filter((name) => name.endsWith(".example"));
  await install();
  const all = await section();
  assert.match(textOf(all), /3 expired and 2 revoked certificates are still assigned or served/);
  assert.equal(shown(all).length, 5);
  assert.doesNotMatch(textOf(all), /View all/);
  const [{ id }] = await app.database.all<{ id: number }>(
    sql`SELECT id FROM certificates WHERE common_name = 'replaced-old.example'`,
  ) as [{ id: number }];
  await updateObjects({
    ctx: app.ctx,
    resource: certificates,
    input: [{ id, status: "expired" }],
    mode: "patch",
  });
  const cut = await section();
  assert.match(
    textOf(cut),
    /4 expired and 2 revoked certificates are still assigned or served View all\s+2 revoked/,
  );
  assert.deepEqual(shown(cut).map((name) => name.startsWith("revoked")), [
    false,
    false,
    false,
    false,
    true,
  ]);
  const [, path = ""] = /View all\s+<a href="([^"]*)"/.exec(cut) ?? [];
  assert.deepEqual(shown((await browser.get(path.replaceAll("&amp;", "&"))).html).sort(), [
    "revoked-new.example",
    "revoked-old.example",
  ]);
});

Deno.test("a replaced certificate that endpoints still serve is red if expired, else amber, and the dashboard counts these endpoints", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  await inventory(app);
  await app.database.write((tx) => tx.run(sql`UPDATE endpoints SET certificate_id = NULL`));
  const idOf = async (name: string): Promise<number> => {
    const rows = await app.database.all<{ id: number }>(
      sql`SELECT id FROM certificates WHERE common_name = ${name}`,
    );
    return (rows[0] as { id: number }).id;
  };
  const serve = (id: number, where: string): Promise<unknown> =>
    app.database.write((tx) =>
      tx.run(sql`UPDATE endpoints SET certificate_id = ${id} WHERE ${sql.raw(where)}`)
    );
  const [old, fresh] = [await idOf("replaced-old.example"), await idOf("replaced-new.example")];
  assert.match((await browser.get(`/certificates/${old}/`)).html, /summary plain">[^]*<strong>Replaced\.</);
  await serve(old, "id = 1");
  await serve(fresh, "id IN (2, 3)");

  const expired = (await browser.get(`/certificates/${old}/`)).html;
  assert.match(expired, /<div class="summary bad">/);
  assert.match(expired, /<strong>Replaced, but 1 endpoint still serves it; it expired 10 days ago\.</);
  assert.match(expired, /<a role="button" href="\/endpoints\/1\/">Replace it at 1 endpoint<\/a>/);
  assert.match(expired, /<span class="badge lost">10 days ago</);
  const current = (await browser.get(`/certificates/${fresh}/`)).html;
  assert.match(current, /<div class="summary warn">/);
  assert.match(current, /<strong>Replaced, but 2 endpoints still serve it; it expires in 10 days\.</);
  assert.match(
    current,
    new RegExp(`<a role="button" href="/endpoints/\\?certificate_id=${fresh}">Replace it at 2 endpoints<`),
  );

  const path = "/endpoints/?certificate__status=replaced";
  const link = `<a href="${path}">3 endpoints still serve a replaced certificate</a>`;
  assert.ok((await browser.get("/")).html.includes(link));
  assert.match(textOf((await browser.get(path)).html), /1–3 of 3/);
});

Deno.test("expired certificates that only an endpoint serves are on the dashboard as served, with the number of endpoints", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  await inventory(app);
  await app.database.write((tx) =>
    tx.run(sql`UPDATE endpoints SET certificate_id = (SELECT id FROM certificates
      WHERE common_name = 'expired-old.example') WHERE id <= 2`)
  );
  const { html } = await browser.get("/");
  assert.match(
    html,
    /<a class="card tile bad" href="\/certificates\/\?overdue=true&amp;assigned_or_served=true">[^]*?<strong>1<\/strong>/,
  );
  assert.match(
    textOf(html),
    /1 expired certificate is still assigned or served .*expired-old\.example .*2 endpoints/,
  );
  assert.deepEqual(namesIn((await browser.get("/certificates/?overdue=true&assigned_or_served=true")).html), [
    "expired-old.example",
  ]);
  const certificate = /\/certificates\/(\d+)\/#served/.exec(html)?.[1];
  assert.match(
    textOf((await browser.get(`/certificates/${certificate}/delete/`)).html),
    /Also changed: 2 endpoints lose their certificate/,
  );
});

Deno.test("an address with empty parameters leads to the same address without them", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const { status, location } = await browser.get(
    "/certificates/?q=&status=active&status=pending&issuer=&tag=",
  );
  assert.deepEqual([status, location], [303, "/certificates/?status=active&status=pending"]);
  const tenants = await browser.get("/tenants/?q=");
  assert.deepEqual([tenants.status, tenants.location], [303, "/tenants/"]);
});

Deno.test("filters with several values keep all of them in the form", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const { html } = await browser.get("/certificates/?status=active&status=pending");
  const form = formOf(html, /<form method="get"[^>]*class="filter-form">.*?<\/form>/s);
  assert.deepEqual(form["where.field"], ["status", "status"]);
  assert.deepEqual(form["where.value"], ["active", "pending"]);
});

Deno.test("a certificate's page says in a sentence when it expires, where it is used and which certificate replaced it", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const browser = await browserOf(app);
  await inventory(app);
  const rows = (await callJson(client, "/api/plugins/certmgr/certificates/?limit=50")).results;
  const idOf = (name: string): number =>
    rows.find((row: { common_name: string }) => row.common_name === name).id as number;
  const [old, fresh] = [idOf("active-old.example"), idOf("active-new.example")];
  const textOf = async (id: number): Promise<string> => {
    const { html } = await browser.get(`/certificates/${id}/`);
    const [, summary = ""] = /<div class="summary [a-z]+">(.*?)<\/div>/s.exec(html) ?? [];
    return summary.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
  };
  assert.match(
    await textOf(old),
    /Expired 10 days ago, without a successor\. Not assigned to any object, and found at no endpoint\./,
  );
  assert.match(
    await textOf(old),
    /Next: Renew it: it expired on 2026-06-05 ?\. .*Then: .*Assign an owner ?, Assign it to the objects that use it/,
  );
  assert.match(await textOf(fresh), /Expires in 10 days\..* Next: Renew before 2026-06-25 ?\./);
  await callJson(client, `/api/plugins/certmgr/certificates/${old}/`, "PATCH", { replaced_by: fresh });
  assert.match(await textOf(old), /Replaced\. Its successor is active-new\.example/);
  assert.match(await textOf(fresh), /It replaced active-old\.example/);
  const api = "/api/plugins/certmgr/assignments/";
  for (const name of ["wollemi-1", "wollemi-2"]) {
    const { id } = await callJson(client, "/api/dcim/devices/", "POST", { name });
    await callJson(client, api, "POST", {
      certificate: fresh,
      assigned_object_type: "dcim.device",
      assigned_object_id: id,
      is_primary: name === "wollemi-2",
    });
  }
  assert.match(await textOf(fresh), /Assigned to wollemi-2 and 1 other object\./);
});

Deno.test("the summary of a valid certificate is not green while one of its endpoints has a problem, and names the endpoint", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  await inventory(app);
  const idOf = sql`(SELECT id FROM certificates WHERE common_name = 'active-new.example')`;
  await app.database.write(async (tx) => {
    await tx.run(
      sql`UPDATE certificates SET valid_to = ${app.clock.now() + 300 * DAY_MS}, chain_status = 'valid'
      WHERE id = ${idOf}`,
    );
    await tx.run(sql`UPDATE endpoints SET certificate_id = ${idOf}, state = 'ok'`);
    await tx.run(sql`DELETE FROM compliance_policies`);
  });
  const [{ id }] = await app.database.all<{ id: number }>(sql`SELECT ${idOf} AS id`) as [{ id: number }];
  const set = (
    endpoint: number,
    values: Readonly<Record<string, string | number | null>>,
  ): Promise<unknown> =>
    app.database.write((tx) =>
      tx.run(sql`UPDATE endpoints SET ${
        sql.join(
          Object.entries(values).map(([name, value]) => sql`${sql.identifier(name)} = ${value}`),
          sql`, `,
        )
      } WHERE id = ${endpoint}`)
    );
  const summary = async (actor?: Actor): Promise<[tone: string, text: string]> => {
    const { html } = await (actor === undefined ? browser : await browserOf(app, actor)).get(
      `/certificates/${id}/`,
    );
    const [, tone = "", text = ""] = /<div class="summary ([a-z]+)">(.*?)<\/div>/s.exec(html) ?? [];
    return [tone, textOf(text)];
  };
  assert.doesNotMatch((await summary()).join(" "), /warn|problem/i);
  const { acme, globex } = seed.endpoints;
  await set(acme, { state: "name_mismatch", state_message: "The certificate is not for www.acme.example." });
  const [tone, text] = await summary();
  assert.equal(tone, "bad");
  assert.match(
    text,
    /Problem at www\.acme\.example:443 ?: The certificate is not for www\.acme\.example ?\. /,
  );
  assert.match(text, /Fix www\.acme\.example:443/);
  // An endpoint that should serve it.
  await set(acme, { state: "wrong_certificate", certificate_id: null, expected_certificate_id: id });
  assert.match((await summary()).join(" "), /^bad .*www\.acme\.example:443 serves another certificate ?\./);
  await set(globex, { state: "unreachable", state_message: "The connection was refused." });
  const several = await browser.get(`/certificates/${id}/`);
  assert.match(
    several.html,
    new RegExp(`2 endpoints have problems: <a href="/endpoints/${acme}/">.*<a href="/endpoints/${globex}/">`),
  );
  assert.match(textOf(several.html), /\(wrong certificate\), .* \(unreachable\)\..*Fix 2 endpoints/);
  // Endpoints that the user may not view have no problems.
  const viewer = granted([{ types: ["certmgr.certificate"], actions: ["view"] }]);
  assert.doesNotMatch((await summary(viewer)).join(" "), /warn|problem|endpoint/i);
});

Deno.test("the next steps leave out what the user may not do, and say that others renew", async () => {
  await using app = await testApp();
  await inventory(app);
  const viewer = granted([{ types: ["certmgr.certificate"], actions: ["view", "import"] }]);
  const next = async (actor?: Actor): Promise<string> => {
    const browser = await browserOf(app, actor);
    const [row] = await app.database.all<{ id: number }>(
      sql`SELECT id FROM certificates WHERE common_name = 'active-new.example'`,
    );
    const { html } = await browser.get(`/certificates/${row?.id}/`);
    return textOf(/<strong>Next:.*?<\/p>/s.exec(html)?.[0] ?? "").trim();
  };
  assert.match(await next(), /^Next: Renew before 2026-06-25 ?\. Then: Assign an owner ?,/);
  assert.match(await next(viewer), /^Next: Have it renewed before 2026-06-25 ?\.$/);
});
