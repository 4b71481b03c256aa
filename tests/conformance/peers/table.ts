/** The table of conformance results in `docs/chains.md`: errors of each validator by tier. */

import { type AnnotatedCase, DECISIVE_TIERS } from "../limbo.ts";

/** Errors of a validator: ids of cases. */
export interface PeerErrors {
  readonly version: string;
  readonly false_accepts: readonly string[];
  readonly false_rejects: readonly string[];
}

/** The recorded results of a run, in the order of the columns. */
export interface Recorded {
  /** Number of cases by tier. */
  readonly cases: Readonly<Record<string, number>>;
  readonly validators: readonly PeerErrors[];
}

const TIERS: Readonly<Record<string, string>> = {
  core: "x509-limbo, what RFC 5280 requires",
  should: "x509-limbo, what RFC 5280 recommends",
  derived: "x509-limbo, without host names",
  "bt-path": "BetterTLS, path building",
  "bt-nc": "BetterTLS, name constraints",
};

/** Compares results with the annotations. Cases in which both results are correct are not counted. */
export function errorsOf(
  cases: readonly AnnotatedCase[],
  { version, accepted }: { version: string; accepted: readonly string[] },
): PeerErrors {
  const set = new Set(accepted);
  const wrong = (expect: "accept" | "reject"): string[] =>
    cases.filter((item) => item.expect === expect && set.has(item.case.id) !== (expect === "accept"))
      .map((item) => item.case.id).sort();
  return { version, false_accepts: wrong("reject"), false_rejects: wrong("accept") };
}

/** Returns the number of decisive cases by tier. */
export function countCases(cases: readonly AnnotatedCase[]): Record<string, number> {
  return Object.fromEntries(
    DECISIVE_TIERS.map((tier) => [tier, cases.filter((item) => item.tier === tier).length]),
  );
}

/** Returns the table; `tierOf` maps ids to tiers. */
export function tableOf({ cases, validators }: Recorded, tierOf: ReadonlyMap<string, string>): string {
  const head = ["Cases", "Number", ...validators.map(({ version }) => version)];
  const rows = DECISIVE_TIERS.map((tier) => [
    TIERS[tier] ?? tier,
    String(cases[tier]),
    ...validators.map((errors) => cell(errors, (id) => tierOf.get(id) === tier)),
  ]);
  const total = Object.values(cases).reduce((sum, count) => sum + count, 0);
  const all = [
    "**Together**",
    `**${total}**`,
    ...validators.map((errors) => `**${cell(errors, () => true)}**`),
  ];
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line), line(all)].join("\n");
}

/** Returns a cell such as `2 + 1`: false accepts, then false rejects. */
function cell({ false_accepts, false_rejects }: PeerErrors, counts: (id: string) => boolean): string {
  return `${false_accepts.filter(counts).length} + ${false_rejects.filter(counts).length}`;
}
