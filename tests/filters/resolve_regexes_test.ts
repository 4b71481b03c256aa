import assert from "node:assert/strict";
import type { SQLWrapper } from "drizzle-orm";
import { REGEX_SCAN_PAGE, REGEX_SCAN_VALUES } from "../../src/filters/limits.ts";
import { AppError } from "../../src/base/errors.ts";
import type { Reader } from "../../src/db/database.ts";
import {
  and,
  type Condition,
  NOTHING,
  parseConstraint,
  resolveRegexes,
  scanBudget,
} from "../../src/filters/mod.ts";
import { CERTIFICATES, CONTEXT, query, render } from "./support.ts";
import { cpuMillis } from "../support/cpu_time.ts";

/** Returns a reader that pages through `values` like a database, and records the statements. */
function readerOf(values: readonly string[]): Reader & { asked: { sql: string; params: unknown[] }[] } {
  const asked: { sql: string; params: unknown[] }[] = [];
  return {
    asked,
    all<T>(statement: SQLWrapper): Promise<T[]> {
      const { sql, params } = render(statement.getSQL());
      asked.push({ sql, params });
      const start = / > \?/.test(sql) ? values.indexOf(String(params[0])) + 1 : 0;
      return Promise.resolve(values.slice(start, start + REGEX_SCAN_PAGE).map((value) => ({ value })) as T[]);
    },
    batch: () => Promise.reject(new Error("not asked for")),
  };
}

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `host-${index}`);
}

function exact(path: string[], values: string[], negated = false): Condition {
  return { kind: "compare", path, operator: "exact", values, negated };
}

Deno.test("a condition without a regex is returned unchanged, without a statement", async () => {
  const reader = readerOf([]);
  const condition = query("status=active&q=x&tag__n=a");
  assert.equal(await resolveRegexes(condition, CERTIFICATES, { ...CONTEXT, reader }), condition);
  assert.equal(reader.asked.length, 0);
});

Deno.test("a regex becomes equality with the values that match", async () => {
  const reader = readerOf(["alpha", "beta", "Gamma"]);
  const resolved = await resolveRegexes(query("issuer__regex=^[ab]"), CERTIFICATES, { ...CONTEXT, reader });
  assert.deepEqual(resolved, exact(["issuer"], ["alpha", "beta"]));
  assert.deepEqual(reader.asked, [{
    sql:
      'SELECT DISTINCT "c"."issuer" AS value FROM "certificates" AS "c" WHERE "c"."issuer" IS NOT NULL ORDER BY 1 LIMIT ?',
    params: [REGEX_SCAN_PAGE],
  }]);
});

Deno.test("an iregex ignores case, and matches any of several patterns", async () => {
  const reader = readerOf(["alpha", "beta", "Gamma"]);
  const condition = query("issuer__iregex=^G&issuer__iregex=^b");
  assert.deepEqual(
    await resolveRegexes(condition, CERTIFICATES, { ...CONTEXT, reader }),
    exact(["issuer"], ["beta", "Gamma"]),
  );
});

Deno.test("a regex that matches nothing selects nothing, and its negation everything", async () => {
  const reader = readerOf(["alpha"]);
  const term = query("issuer__regex=zzz");
  assert.deepEqual(await resolveRegexes(term, CERTIFICATES, { ...CONTEXT, reader }), exact(["issuer"], []));
  const not: Condition = { kind: "not", term };
  assert.deepEqual(await resolveRegexes(not, CERTIFICATES, { ...CONTEXT, reader: readerOf([]) }), {
    kind: "not",
    term: exact(["issuer"], []),
  });
});

Deno.test("values are read page by page, each from where the last one ended", async () => {
  const values = numbered(REGEX_SCAN_PAGE + 5);
  const reader = readerOf(values);
  const resolved = await resolveRegexes(query("issuer__regex=-200[0-9]$"), CERTIFICATES, {
    ...CONTEXT,
    reader,
  });
  assert.deepEqual(resolved, exact(["issuer"], values.slice(2_000)));
  assert.deepEqual(reader.asked.map(({ params }) => params), [
    [REGEX_SCAN_PAGE],
    [values[REGEX_SCAN_PAGE - 1], REGEX_SCAN_PAGE],
  ]);
});

Deno.test("only rows that match the other filters are read", async () => {
  const reader = readerOf([]);
  await resolveRegexes(query("issuer__regex=x&status=active&tenant_id=5"), CERTIFICATES, {
    ...CONTEXT,
    reader,
  });
  assert.match(reader.asked[0]!.sql, /"c"\."status" = 'active' AND "c"\."tenant_id" = \?/);
});

Deno.test("only rows that the caller may view are read, here and across a relation", async () => {
  const view = parseConstraint({ id__lt: 100 }, CERTIFICATES).condition;
  const reader = readerOf([]);
  const options = { ...CONTEXT, reader, visible: () => view };
  await resolveRegexes(query("issuer__regex=x"), CERTIFICATES, options);
  await resolveRegexes(query("tenant__name__regex=x&status=active"), CERTIFICATES, options);
  assert.match(reader.asked[0]!.sql, /FROM "certificates" AS "c" WHERE .*"c"\."id" < \?/);
  assert.match(reader.asked[1]!.sql, /"c"\."name" .*FROM "tenants" AS "c" WHERE .*"c"\."id" < \?/);
  assert.doesNotMatch(reader.asked[1]!.sql, /status/);
});

Deno.test("values of a side table are read only for rows that can match", async () => {
  const reader = readerOf(["a.example", "b.example"]);
  const options = { ...CONTEXT, reader };
  const resolved = await resolveRegexes(query("san__regex=^a"), CERTIFICATES, options);
  assert.deepEqual(resolved, exact(["san"], ["a.example"]));
  await resolveRegexes(query("san__regex=^a&status=active"), CERTIFICATES, options);
  const start = 'SELECT DISTINCT "c_side"."value" AS value FROM "certificate_sans" AS "c_side" ' +
    'WHERE ("c_side"."value" IS NOT NULL';
  assert.deepEqual(reader.asked.map(({ sql }) => sql), [
    start.replace("(", "") + " ORDER BY 1 LIMIT ?",
    start.replace('"certificate_sans" AS', '"certificates" AS "c", json_each("c"."sans") AS') +
    ` AND "c"."status" = 'active') ORDER BY 1 LIMIT ?`,
  ]);
});

Deno.test("choices are matched without a statement", async () => {
  const reader = readerOf([]);
  const resolved = await resolveRegexes(query("status__regex=^(act|rev)"), CERTIFICATES, {
    ...CONTEXT,
    reader,
  });
  assert.deepEqual(resolved, exact(["status"], ["active", "revoked"]));
  assert.equal(reader.asked.length, 0);
});

Deno.test("regexes are found under AND, OR and NOT", async () => {
  const condition: Condition = and(query("status=active"), {
    kind: "or",
    terms: [{ kind: "not", term: query("issuer__regex=b") }, query("q=x")],
  });
  const resolved = await resolveRegexes(condition, CERTIFICATES, {
    ...CONTEXT,
    reader: readerOf(["ab", "c"]),
  });
  assert.deepEqual(
    resolved,
    and(query("status=active"), {
      kind: "or",
      terms: [{ kind: "not", term: exact(["issuer"], ["ab"]) }, query("q=x")],
    }),
  );
});

function isRefusal(name: string): (error: unknown) => boolean {
  return (error) =>
    error instanceof AppError && error.code === "invalid" && Object.keys(error.public)[0] === name;
}

Deno.test("more values than the budget are refused, in all regexes of a condition together", async () => {
  const full = numbered(REGEX_SCAN_VALUES);
  const resolve = (text: string, values: string[]): Promise<Condition> =>
    resolveRegexes(query(text), CERTIFICATES, { ...CONTEXT, reader: readerOf(values) });
  await resolve("issuer__regex=x", full);
  await assert.rejects(resolve("issuer__regex=x", [...full, "one more"]), isRefusal("issuer"));
  await assert.rejects(resolve("issuer__regex=x&tenant__name__regex=y", full), isRefusal("tenant__name"));
});

Deno.test("conditions that share a budget are refused together", async () => {
  const budget = scanBudget();
  const resolve = (values: string[]): Promise<Condition> =>
    resolveRegexes(query("issuer__regex=x"), CERTIFICATES, { ...CONTEXT, reader: readerOf(values), budget });
  await resolve(numbered(REGEX_SCAN_VALUES - 10));
  await resolve(numbered(10));
  await assert.rejects(resolve(["one more"]), isRefusal("issuer"));
});

Deno.test("work that exceeds the budget is refused before it is done", async () => {
  const reader = readerOf(Array.from({ length: 10_000 }, (_, index) => "a".repeat(200) + index));
  const before = cpuMillis();
  await assert.rejects(
    resolveRegexes(query("issuer__regex=[ab]{990}z"), CERTIFICATES, { ...CONTEXT, reader }),
    isRefusal("issuer"),
  );
  assert.ok(cpuMillis() - before < 10_000);
});

Deno.test("a contradiction in the other filters is not an error", async () => {
  const condition = { kind: "and" as const, terms: [NOTHING, query("issuer__regex=x")] };
  const resolved = await resolveRegexes(condition, CERTIFICATES, { ...CONTEXT, reader: readerOf([]) });
  assert.equal(resolved.kind, "and");
});
