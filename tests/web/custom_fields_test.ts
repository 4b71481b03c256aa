/** Custom fields on pages: controls, errors, groups, columns and filters. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { granted } from "../support/actors.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { callJson } from "../support/call_json.ts";
import { CUSTOM_VALUES, defineCustomFields, fillCustomFields } from "../support/custom_fields.ts";
import { certificate, PATHS } from "../support/paths.ts";
import { seed } from "../support/seed.ts";
import { browserOf, type Fields, formOf, textOf } from "./imports/browser.ts";

const { certificates: ids, devices } = seed;
const EDIT = `/certificates/${ids.acmeWeb}/edit/`;

function errorAt(html: string, name: string): string {
  return textOf(new RegExp(`id="f-${name}-error">(.*?)</small>`, "s").exec(html)?.[1] ?? "");
}

/** Returns the opening tag of a control. */
function control(html: string, name: string): string {
  return new RegExp(`<(?:input|select|textarea)[^>]*\\sname="${name}"[^>]*>`).exec(html)?.[0] ?? "";
}

async function changeCount(app: TestApp): Promise<number> {
  const [row] = await app.database.all<{ count: number }>(sql`SELECT count(*) AS count FROM object_changes`);
  return row?.count ?? 0;
}

Deno.test("each type of custom field has its own control, with its value", async () => {
  await using app = await testApp();
  await fillCustomFields(app);
  const { html } = await (await browserOf(app)).get(EDIT);
  assert.doesNotMatch(html, /name="custom_fields"/);
  for (
    const [name, ...parts] of [
      ["cf_note", "<input", 'type="text"', 'value="Bob&#39;s"'],
      ["cf_story", "<textarea"],
      ["cf_shelf", 'type="number"', 'value="4"'],
      ["cf_cost", 'type="number"', 'step="any"', 'value="12.5"'],
      ["cf_audited", "<select"],
      ["cf_ordered", 'type="date"', 'value="2026-03-01"'],
      ["cf_seen_at", 'type="datetime-local"', 'value="2026-03-01T10:00:00"'],
      ["cf_page", 'type="url"', 'value="https://wiki.example/x"'],
      ["cf_extra", "<textarea"],
      ["cf_risk", "<select"],
      ["cf_places", 'type="checkbox"'],
      ["cf_host", "<select"],
    ]
  ) {
    const tag = control(html, name as string);
    for (const part of parts) assert.ok(tag.includes(part), `${name}: ${tag}`);
  }
  const form = formOf(html);
  assert.deepEqual(
    [form.cf_audited, form.cf_risk, form.cf_places, form.cf_host, JSON.parse(String(form.cf_extra))],
    ["true", "high", ["here", "there"], String(devices.edge), { a: [1, null] }],
  );
});

Deno.test("saving a form unchanged changes nothing", async () => {
  await using app = await testApp();
  await fillCustomFields(app);
  const browser = await browserOf(app);
  const client = await app.as("superuser");
  const path = certificate(ids.acmeWeb);
  const [before, changes] = [await callJson(client, path), await changeCount(app)];
  const answer = await browser.post(EDIT, formOf((await browser.get(EDIT)).html));
  assert.equal(answer.status, 303, textOf(answer.html).slice(0, 500));
  assert.deepEqual((await callJson(client, path)).custom_fields, before.custom_fields);
  assert.equal(await changeCount(app), changes);
});

Deno.test("saving a form unchanged keeps milliseconds, as many as a browser's field can have", async () => {
  await using app = await testApp();
  await fillCustomFields(app);
  const browser = await browserOf(app);
  const client = await app.as("superuser");
  const path = certificate(ids.acmeCritical);
  const body = {
    valid_from: "2026-01-01T10:00:00.123456Z",
    custom_fields: { seen_at: "2026-03-01T10:00:00.5Z" },
  };
  assert.equal((await client(path, { method: "PATCH", body })).status, 200);
  const [before, changes] = [await callJson(client, path), await changeCount(app)];
  const edit = `/certificates/${ids.acmeCritical}/edit/`;
  const { html } = await browser.get(edit);
  assert.match(control(html, "cf_seen_at"), /value="2026-03-01T10:00:00\.500"/);
  assert.match(control(html, "valid_from"), /value="2026-01-01T10:00:00\.123"/);
  const answer = await browser.post(edit, formOf(html));
  assert.equal(answer.status, 303, textOf(answer.html).slice(0, 500));
  assert.deepEqual(await callJson(client, path), before);
  assert.equal(await changeCount(app), changes);
});

Deno.test("a form keeps the lines of comments", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const browser = await browserOf(app);
  const path = certificate(ids.acmeWeb);
  await callJson(client, path, "PATCH", { comments: "One\n\n- two", renewal_note: "a\nb" });
  const { html } = await browser.get(EDIT);
  assert.match(control(html, "comments"), /<textarea/);
  assert.equal((await browser.post(EDIT, formOf(html))).status, 303);
  const { comments, renewal_note } = await callJson(client, path);
  assert.deepEqual([comments, renewal_note], ["One\n\n- two", "a\nb"]);
});

Deno.test("a form stores the values of all types, and empty controls remove them", async () => {
  await using app = await testApp();
  await fillCustomFields(app);
  const browser = await browserOf(app);
  const client = await app.as("superuser");
  const form = formOf((await browser.get(EDIT)).html);
  const cleared = Object.fromEntries(
    Object.entries(form).map(([name, value]) => [name, name.startsWith("cf_") ? "" : value]),
  );
  assert.equal((await browser.post(EDIT, cleared)).status, 303);
  const empty = (await callJson(client, certificate(ids.acmeWeb))).custom_fields;
  assert.deepEqual([...new Set(Object.values(empty))], [null]);
  const again = { ...form, version: formOf((await browser.get(EDIT)).html).version as string };
  assert.equal((await browser.post(EDIT, again)).status, 303);
  const { host, ...values } = (await callJson(client, certificate(ids.acmeWeb))).custom_fields;
  assert.deepEqual({ ...values, host: host.id }, CUSTOM_VALUES);
});

Deno.test("an error is shown under its control, which keeps the typed value", async () => {
  await using app = await testApp();
  await fillCustomFields(app);
  const browser = await browserOf(app);
  const form = formOf((await browser.get(EDIT)).html);
  const wrong: Fields = { ...form, cf_shelf: "99", cf_risk: "medium", cf_extra: "{a" };
  const invalid = await browser.post(EDIT, wrong);
  assert.equal(invalid.status, 400);
  assert.equal(
    errorAt(invalid.html, "cf_extra"),
    "Not JSON: expected property name or '}' at line 1, character 2.",
  );
  const { html, status } = await browser.post(EDIT, { ...wrong, cf_extra: "" });
  assert.equal(status, 400);
  assert.equal(errorAt(html, "cf_shelf"), 'Expected a whole number of 40 or less, not "99".');
  assert.equal(errorAt(html, "cf_risk"), 'Expected one of low, high, not "medium".');
  assert.match(control(html, "cf_shelf"), /value="99"/);
});

Deno.test("the form of a new object has defaults and values from the URL", async () => {
  await using app = await testApp();
  await defineCustomFields(app);
  const browser = await browserOf(app);
  const form = formOf((await browser.get("/certificates/new/?cf_note=Zoe&cf_places=here")).html);
  assert.deepEqual([form.cf_audited, form.cf_note, form.cf_places], ["false", "Zoe", "here"]);
});

Deno.test("a value that is not a choice any more stays when its form is saved", async () => {
  await using app = await testApp();
  await fillCustomFields(app);
  await app.database.write((tx) =>
    tx.run(sql`UPDATE custom_field_choice_sets SET extra_choices = '[["low","Low"]]' WHERE name = 'Levels'`)
  );
  await callJson(await app.as("superuser"), `${PATHS.choiceSets}${seed.choiceSets.idle}/`, "PATCH", {
    description: "Other",
  });
  const browser = await browserOf(app);
  const { html } = await browser.get(EDIT);
  assert.match(html, /<option value="high" selected[^>]*>high \(no longer a choice\)/);
  assert.equal((await browser.post(EDIT, formOf(html))).status, 303);
});

Deno.test("a hidden object stays when the form of the object that refers to it is saved", async () => {
  await using app = await testApp();
  await fillCustomFields(app);
  const browser = await browserOf(
    app,
    granted([
      { types: ["certmgr.certificate"], actions: ["view", "change"] },
      { types: ["dcim.device"], actions: ["view"], constraints: { id__n: devices.edge } },
    ]),
  );
  const form = formOf((await browser.get(EDIT)).html);
  assert.equal(form.cf_host, "");
  assert.equal((await browser.post(EDIT, { ...form, cf_note: "Changed" })).status, 303);
  const { custom_fields: values } = await callJson(await app.as("superuser"), certificate(ids.acmeWeb));
  assert.deepEqual([values.note, values.host.id], ["Changed", devices.edge]);
});

Deno.test("pages show custom fields by label and group, typed, long texts as Markdown", async () => {
  await using app = await testApp();
  await fillCustomFields(app);
  const client = await app.as("superuser");
  const { results } = await callJson(client, `${PATHS.customFields}?limit=0`);
  const idOf = (name: string): number => results.find((field: { name: string }) => field.name === name).id;
  for (const name of ["shelf", "risk"]) {
    await callJson(client, `${PATHS.customFields}${idOf(name)}/`, "PATCH", { group_name: "Purchase <1>" });
  }
  await callJson(client, `${PATHS.customFields}${idOf("shelf")}/`, "PATCH", { label: "Shelf no." });
  await callJson(client, certificate(ids.acmeWeb), "PATCH", { custom_fields: { story: "Once *upon*" } });
  const browser = await browserOf(app);
  const { html } = await browser.get(`/certificates/${ids.acmeWeb}/`);
  const group = /<h2>Purchase &lt;1&gt;<\/h2>.*?<\/section>/s.exec(html)?.[0] ?? "";
  assert.match(textOf(group), /Risk High Shelf no\. 4|Shelf no\. 4 Risk High/);
  assert.match(html, /<em>upon<\/em>/);
  assert.match(html, /<a href="https:\/\/wiki\.example\/x" rel="noopener noreferrer nofollow">/);
  assert.match(html, new RegExp(`<a href="/devices/${devices.edge}/" class="object"[ >]`));
  assert.match((await browser.get(EDIT)).html, /<legend>Purchase &lt;1&gt;<\/legend>/);
});

Deno.test("lists have columns of custom fields, which can be chosen and sorted and are remembered", async () => {
  await using app = await testApp();
  await fillCustomFields(app);
  const client = await app.as("superuser");
  await callJson(client, `${PATHS.devices}${devices.edge}/`, "PATCH", { custom_fields: { room: "R 17" } });
  const browser = await browserOf(app);
  const chosen = await browser.get("/certificates/?columns=cf_shelf&columns=cf_risk&ordering=-cf_shelf");
  assert.match(textOf(chosen.html), /Common name Risk Shelf ↓ /);
  assert.match(textOf(chosen.html.slice(chosen.html.indexOf("<tbody"))), / \S+ Low 9 \S+ High 4 /);
  const rooms = await browser.get("/devices/?columns=status&columns=cf_room");
  assert.match(textOf(rooms.html), /R 17/);
  assert.match(rooms.html, /<a href="[^"]*ordering=cf_room[^"]*">Room/);
  assert.doesNotMatch(textOf((await browser.get("/devices/")).html), /R 17/);
  const columns = ["status", "cf_room"];
  await browser.post("/lists/preferences/", { object_type: "dcim.device", columns, back: "/devices/" });
  assert.match(textOf((await browser.get("/devices/")).html), /R 17/);
});

Deno.test("the filter form has custom fields with the suffixes of their types", async () => {
  await using app = await testApp();
  await fillCustomFields(app);
  const browser = await browserOf(app);
  const { html } = await browser.get("/certificates/?cf_shelf__gte=3&cf_ordered__lte=2026-01-02&cf_risk=low");
  for (
    const [name, label] of [
      ["cf_note", "Note"],
      ["cf_shelf", "Shelf"],
      ["cf_ordered", "Ordered"],
      ["cf_audited", "Audited"],
      ["cf_risk", "Risk"],
      ["cf_places", "Places"],
      ["cf_host_id", "Host"],
    ] as const
  ) {
    assert.match(html, new RegExp(`<option value="${name}"[^>]*>${label}</option>`));
  }
  assert.match(html, /<input type="number" name="where.value" value="3"/);
  assert.match(html, /<input type="date" name="where.value" value="2026-01-02"/);
  assert.match(html, /<option value="low" selected[^>]*>Low<\/option>/);
  const found = await browser.get("/certificates/?cf_shelf__gte=5&cf_risk=low&cf_note__isw=z");
  assert.equal(found.status, 200);
  const text = textOf(found.html);
  for (const chip of ["Shelf at least 5", "Risk: Low", "Note starts with z"]) {
    assert.ok(text.includes(chip), chip);
  }
  const wrong = await browser.get("/certificates/?cf_shelf__gte=many");
  assert.equal(wrong.status, 400);
  assert.match(errorAt(wrong.html, "cf_shelf__gte"), /whole number/);
});

Deno.test("pages follow a custom field's visibility, and their forms leave out what is not edited there", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const fields = [
    { name: "plain", label: "Plain text" },
    { name: "quiet", label: "Quiet text", ui_visible: "if-set" },
    { name: "secretive", label: "Secretive text", ui_visible: "hidden" },
    { name: "fixed", label: "Fixed text", ui_editable: "no" },
  ].map((field) => ({ type: "text", object_types: ["dcim.device"], ...field }));
  const made = await client(PATHS.customFields, { method: "POST", body: fields });
  assert.equal(made.status, 201, await made.clone().text());
  const browser = await browserOf(app);
  const page = `/devices/${devices.edge}/`;
  const shown = async (path: string): Promise<string[]> => {
    const { html } = await browser.get(path);
    return ["Plain", "Quiet", "Secretive", "Fixed"].filter((word) => html.includes(`${word} text`));
  };
  assert.deepEqual(await shown(page), ["Plain", "Fixed"]);
  assert.deepEqual(await shown(`${page}edit/`), ["Plain", "Quiet", "Secretive"]);
  assert.deepEqual(await shown("/devices/"), ["Plain", "Quiet", "Fixed"], "columns and filters");
  const custom_fields = { plain: "1", quiet: "2", secretive: "3", fixed: "4" };
  await client(`${PATHS.devices}${devices.edge}/`, { method: "PATCH", body: { custom_fields } });
  assert.deepEqual(await shown(page), ["Plain", "Quiet", "Fixed"]);

  const form = formOf((await browser.get(`${page}edit/`)).html);
  await browser.post(`${page}edit/`, { ...form, cf_plain: "new" });
  const device = await (await client(`${PATHS.devices}${devices.edge}/`)).json();
  assert.deepEqual(device.custom_fields, { ...custom_fields, plain: "new", level: null, room: null });
});
