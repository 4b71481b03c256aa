/** Measures the cost of a filter from query string to SQL, which every list request has. */

import { and, parseConstraint, parseQuery } from "../../src/filters/mod.ts";
import { CERTIFICATES, compiled, query } from "../filters/support.ts";

const RESERVED = new Set(["limit", "offset", "ordering"]);
const TYPICAL = new URLSearchParams("limit=50&status=active&valid_to__lt=2026-12-31&tenant=acme");
const RICH = new URLSearchParams(
  "limit=50&status=active&status=expired&common_name__ic=example&tag=web&tag=prod&tenant__owner__username=ann&key_size__gte=2048",
);
const IDS = new URLSearchParams(Array.from({ length: 1_000 }, (_, index) => ["id", String(index)]));
const WRONG = new URLSearchParams("statuss=active&comon_name=x");

const parse = (params: URLSearchParams): ReturnType<typeof parseQuery> =>
  parseQuery(params, CERTIFICATES, { reserved: RESERVED });

Deno.bench("parse 3 filters", { group: "parse", baseline: true }, () => void parse(TYPICAL));
Deno.bench("parse 8 filters", { group: "parse" }, () => void parse(RICH));
Deno.bench("parse 1,000 ids", { group: "parse" }, () => void parse(IDS));
Deno.bench("parse 2 mistyped filters", { group: "parse" }, () => void parse(WRONG));
Deno.bench("parse a constraint", { group: "parse" }, () => {
  parseConstraint([{ tenant__owner: "$user", status__in: ["active", "expired"] }], CERTIFICATES);
});

const typical = query(TYPICAL.toString().replace("limit=50&", ""));
const rich = query(RICH.toString().replace("limit=50&", ""));
const restricted = and(parseConstraint({ tenant__slug: "acme" }, CERTIFICATES).condition, typical);

Deno.bench(
  "compile and render 3 filters",
  { group: "compile", baseline: true },
  () => void compiled(typical),
);
Deno.bench("compile and render 8 filters", { group: "compile" }, () => void compiled(rich));
Deno.bench(
  "compile and render 3 filters and a constraint",
  { group: "compile" },
  () => void compiled(restricted),
);
