/** How many regular expressions a request may use. */

import { textsByField } from "../../src/base/findings.ts";
import assert from "node:assert/strict";
import { MAX_REGEX_PATTERNS } from "../../src/filters/limits.ts";
import {
  noRegexes,
  parseConstraint,
  parseFiltersObject,
  parseQuery,
  regexAllowance,
} from "../../src/filters/mod.ts";
import { CERTIFICATES } from "./support.ts";

const TOO_MANY = [`Use at most ${MAX_REGEX_PATTERNS} regular expressions in one request.`];

function patterns(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `a${index}`);
}

function parameters(count: number): [string, string][] {
  return patterns(count).map((pattern, index) => [index % 2 ? "issuer__regex" : "san__iregex", pattern]);
}

Deno.test("a query may have as many regular expressions as a request may use, in all parameters together", () => {
  const options = { reserved: new Set<string>() };
  assert.deepEqual(
    textsByField(parseQuery(parameters(MAX_REGEX_PATTERNS), CERTIFICATES, options).errors),
    {},
  );
  const { errors } = parseQuery(parameters(MAX_REGEX_PATTERNS + 1), CERTIFICATES, options);
  assert.deepEqual(Object.values(textsByField(errors)), [TOO_MANY]);
});

Deno.test("a filters object may have as many regular expressions as a request may use, at any depth", () => {
  const nested = (count: number): unknown => ({
    OR: patterns(count).map((pattern) => ({ NOT: { issuer__regex: [pattern] } })),
  });
  assert.deepEqual(textsByField(parseFiltersObject(nested(MAX_REGEX_PATTERNS), CERTIFICATES).errors), {});
  const { errors } = parseFiltersObject(nested(MAX_REGEX_PATTERNS + 1), CERTIFICATES);
  assert.deepEqual(textsByField(errors), { issuer__regex: TOO_MANY });
});

Deno.test("filters that share an allowance use it up together", () => {
  const regexes = regexAllowance();
  const parse = (count: number): unknown =>
    textsByField(parseFiltersObject({ issuer__regex: patterns(count) }, CERTIFICATES, { regexes }).errors);
  assert.deepEqual(parse(MAX_REGEX_PATTERNS - 1), {});
  assert.deepEqual(parse(1), {});
  assert.deepEqual(parse(1), { issuer__regex: TOO_MANY });
});

Deno.test("without an allowance not even a valid regular expression is compiled", () => {
  const regexes = noRegexes("here");
  const message = ["Regular expressions cannot be used here."];
  const options = { reserved: new Set<string>(), regexes };
  for (const pattern of ["a", "(", ""]) {
    assert.deepEqual(textsByField(parseQuery([["san__regex", pattern]], CERTIFICATES, options).errors), {
      san__regex: message,
    });
  }
  assert.deepEqual(textsByField(parseConstraint({ issuer__regex: ["a", "("] }, CERTIFICATES).errors), {
    issuer__regex: ["Regular expressions cannot be used in constraints."],
  });
});
