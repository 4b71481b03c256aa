/** Which certificates could not be issued again as they are, because of which rule. */

import { numberText } from "../../base/amounts.ts";
import { formatDate } from "../../base/clock.ts";
import { certificates } from "../../domain/certificates/mod.ts";
import { isBreakable, rulesAt } from "../../domain/rules/mod.ts";
import type { Call } from "../call.ts";
import { Day, EmptyState, type Html, Section, Table } from "../kit/components/mod.ts";
import { countRows } from "../kit/mod.ts";

/** Returns the query of the list with certificates in use that these filters select, too. */
export function inUse(list: URL, filters: string): string {
  const params = new URLSearchParams(list.search);
  params.set("in_use", "true");
  const own = new URLSearchParams(filters);
  for (const name of own.keys()) params.delete(name);
  for (const [name, value] of own) params.append(name, value);
  return `?${params}`;
}

/** A rule, and the certificates in use that it does not allow to be issued again. */
interface BrokenRow {
  readonly id: number;
  readonly from: string;
  readonly effect: string;
  readonly count: number;
  /** The query of their list. */
  readonly query: string;
}

/** Counts the certificates that rules of today, and later ones, do not allow to be issued again; without those that break nothing. */
async function brokenRows(call: Call, list: URL): Promise<BrokenRow[]> {
  const { clock, settings } = call.ctx;
  const now = clock.now();
  const rules = settings.rules.filter(isBreakable);
  const inForce = rulesAt(rules, now).map((rule, _, all) => {
    // A rule for each of some issuers is one line.
    const dates = all.filter(({ name }) => name === rule.name).map(({ from }) => from);
    return { ...rule, from: dates.sort().at(-1) ?? rule.from };
  });
  const later = rules.filter(({ from }) => from > formatDate(now));
  const byDate = Map.groupBy([...inForce, ...later], ({ name, from }) => `${name}&rule_date=${from}`);
  const rows = await Promise.all([...byDate].map(async ([filter, [rule, ...others]], id) => {
    const query = inUse(list, `breaks_rule=${filter}`);
    return {
      id,
      from: rule?.from ?? "",
      effect: [rule, ...others].map((one) => one?.effect).join(" "),
      query,
      count: await countRows(call, certificates, new URLSearchParams(query)),
    };
  }));
  return rows.filter(({ count }) => count > 0).toSorted((one, other) => one.from < other.from ? -1 : 1);
}

/** Renders the rules of today, and later ones, that do not allow certificates in use to be issued again. */
export async function brokenRules(call: Call, list: URL): Promise<Html> {
  const rows = await brokenRows(call, list);
  const trusted = rows.length > 0
    ? 1
    : await countRows(call, certificates, new URLSearchParams(inUse(list, "publicly_trusted=true")));
  return (
    <Section id="rules" title="What could not be issued again as it is?">
      {rows.length === 0
        ? (
          <EmptyState
            text={trusted === 0
              ? "Nothing: the rules are for publicly trusted certificates, and none in use is."
              : "Nothing: every certificate in use keeps the rules to come."}
          />
        )
        : (
          <Table<BrokenRow>
            caption="Rules for publicly trusted certificates"
            rows={rows}
            columns={[
              { label: "From", cell: ({ from }) => <Day at={from} /> },
              { label: "Rule", cell: ({ effect }) => effect },
              {
                label: "Certificates",
                layout: ["number"],
                cell: ({ count, query }) => <a href={`/certificates/${query}`}>{numberText(count)}</a>,
              },
            ]}
          />
        )}
    </Section>
  );
}
