/** The tables and lists of the API guide match the code. */

import assert from "node:assert/strict";
import { z } from "zod";
import { settingNotes } from "../../src/config/mod.ts";
import { POLICY_TYPES } from "../../src/domain/compliance/mod.ts";
import { ruleOf } from "../../src/domain/compliance/rules/mod.ts";
import {
  IMPORT_COLUMNS,
  KNOWN_COLUMNS,
  REQUIRED_COLUMNS,
} from "../../src/domain/certificates/import/columns.ts";
import { readExamples } from "./examples.ts";
import { tableBelow } from "./tables.ts";

const guide = await Deno.readTextFile(new URL("../../docs/api.md", import.meta.url));

/** Returns the names between backticks. */
function namesIn(text: string): string[] {
  return (text.match(/`[^`]+`/g) ?? []).map((name) => name.slice(1, -1));
}

Deno.test("the guide lists the columns of tables and which of them are required", () => {
  const rows = tableBelow(guide, "### Tables");
  assert.deepEqual(rows.map(([name]) => namesIn(name as string)[0]), IMPORT_COLUMNS);
  const required = rows.filter(([, needed]) => needed === "yes").map(([name]) => namesIn(name as string)[0]);
  assert.deepEqual(required, REQUIRED_COLUMNS);
  assert.ok(rows.every(([, needed]) => needed === "yes" || needed === "no"));
});

Deno.test("the guide lists the columns that imports ignore", () => {
  const [, paragraph = ""] = guide.match(/\nThese columns are ignored[^:]*: ([^.]*)\./) ?? [];
  assert.deepEqual(
    namesIn(paragraph).sort(),
    KNOWN_COLUMNS.filter((name) => !IMPORT_COLUMNS.includes(name)).sort(),
  );
});

Deno.test("the export that moves an inventory has every column that imports read", () => {
  const [moving] = readExamples(guide).filter(({ title }) => title === "### Moving an inventory");
  const query = new URL(moving?.path ?? "", "https://certs.example.com").searchParams;
  const fields = query.getAll("fields").flatMap((names) => names.split(","));
  // Exports have no columns of assignments.
  const columns = IMPORT_COLUMNS.filter((name) => !["assignments", "devices", "contacts"].includes(name));
  assert.deepEqual(fields.sort(), columns.sort());
});

/** Returns the types of policies with their parameters; a row without a type continues that of the row above. */
function policyParameters(): string[][] {
  let type = "";
  return tableBelow(guide, "### Policies").map(([given = "", name = "", form = "", fallback = ""]) => {
    type = namesIn(given)[0] ?? type;
    return [type, namesIn(name)[0] ?? "", form, fallback];
  });
}

const FORMS: Readonly<Record<string, string>> = {
  array: "list",
  boolean: "true or false",
  integer: "whole number",
};

Deno.test("the guide lists the types of policies, their parameters and defaults", () => {
  const known = POLICY_TYPES.flatMap((type) => {
    const { properties = {} } = z.toJSONSchema(ruleOf(type)?.parameters as z.ZodType, {
      io: "input",
      unrepresentable: "any",
    });
    const parameters = Object.entries(properties as Record<string, { type: string; default?: unknown }>);
    if (parameters.length === 0) return [[type, "", "", ""]];
    return parameters.map(([name, schema]) => [
      type,
      name,
      FORMS[schema.type] ?? "whole number",
      Array.isArray(schema.default) ? "empty" : String(schema.default ?? "required"),
    ]);
  });
  assert.deepEqual(policyParameters(), known);
});

Deno.test("every setting that the guide names exists and has the limit that the guide states", () => {
  const known = new Map(settingNotes().map((note) => [note.name, note]));
  const named = guide.match(/CERTMGR_[A-Z_]+[A-Z]/g) ?? [];
  assert.ok(named.length > 3);
  assert.deepEqual(named.filter((name) => !known.has(name)), []);
  for (
    const [number, name] of [["100", "BULK_IMPORT_MAX_BATCH_SIZE"], ["1,000", "MAX_EXPORT_SIZE"]] as const
  ) {
    assert.match(guide, new RegExp(`${number}[^.]*CERTMGR_${name}`), name);
    assert.equal(String(known.get(`CERTMGR_${name}`)?.default), number.replace(",", ""), name);
  }
});
