/** The state of endpoints in lists: a word, the next step, and the reason. */

import { endpointRights } from "../../../domain/advice/mod.ts";
import type { Certificate } from "../../../domain/certificates/mod.ts";
import { type Endpoint, severityOf } from "../../../domain/endpoints/mod.ts";
import type { Call } from "../../call.ts";
import { Badge, type Content, Expiry, ExpiryBrief, type Html } from "../../kit/components/mod.ts";
import { certificatesById } from "../../kit/mod.ts";
import { type BriefStep, briefStep } from "./next_step.tsx";

/** The filter for endpoints that need attention: all states that are worse than `ok`. */
export const NEEDS_ATTENTION = { severity__lt: String(severityOf("ok")) };

/** Fields that {@link StateCell} and {@link briefStep} read. */
export const STATE_FIELDS = ["state", "state_message", "certificate", "expected_certificate"] as const;

/** Fields of served certificates that the columns and {@link briefStep} read. */
const SERVED_FIELDS = [
  "id",
  "display",
  "common_name",
  "valid_to",
  "days_remaining",
  "expiry_status",
  "status",
  "replaced_by",
] as const;

/** States that the expiry of the served certificate explains, on a phone without words. */
const BY_EXPIRY: ReadonlySet<unknown> = new Set(["expired", "expiring"]);

/** States whose reason is another column: the expiry, or the name of the certificate. */
const EXPLAINED: ReadonlySet<unknown> = new Set(["expired", "expiring", "superseded"]);

/** An endpoint with what lists show about it. */
export type ListedEndpoint<Row = Pick<Endpoint, "id" | (typeof STATE_FIELDS)[number]>> = Row & {
  /** The served certificate; undefined if the user may not view it, or the inventory does not have it. */
  readonly served?: Pick<Certificate, (typeof SERVED_FIELDS)[number]>;
  readonly step?: BriefStep;
};

/** Adds the served certificates and the next steps. One statement. */
export async function withServed<Row extends ListedEndpoint>(
  call: Call,
  rows: readonly Row[],
): Promise<readonly ListedEndpoint<Row>[]> {
  const ids = rows.flatMap(({ certificate }) => certificate?.id ?? []);
  const byId = await certificatesById(call, ids, SERVED_FIELDS);
  const may = endpointRights(call.ctx, false);
  return rows.map((row) => {
    const served = byId.get(row.certificate?.id);
    const step = briefStep({ endpoint: row, served, isAuthority: false, may });
    return { ...row, ...(served === undefined ? {} : { served }), ...(step === undefined ? {} : { step }) };
  });
}

/** Returns whether the state is about two names, which a list must not shorten. */
function isComparing({ state }: Pick<Endpoint, "state">): boolean {
  return state === "name_mismatch";
}

const DAY = /(\d{4}-\d\d-\d\d)/;

/** Renders a sentence without line breaks inside dates. */
function Sentence({ text }: { text: string }): Html {
  return (
    <span class="sentence">
      {text.split(DAY).map((part) => DAY.test(part) ? <span class="whole">{part}</span> : part)}
    </span>
  );
}

/** Renders the state of an endpoint, what to do about it, and why unless another column says it. */
export function StateCell(
  { endpoint, children = null }: { endpoint: ListedEndpoint; children?: Content },
): Html {
  const { state, state_message: reason, step } = endpoint;
  const badge = <Badge value={state} />;
  if (step === undefined) {
    return (
      <span title={reason}>
        {badge} {children}
      </span>
    );
  }
  return (
    <div class={isComparing(endpoint) ? "explained comparing" : "explained"} title={reason}>
      {badge}
      {children}
      <a href={step.path} class="step">{step.text}</a>
      {EXPLAINED.has(state) ? null : <Sentence text={reason} />}
    </div>
  );
}

/** Renders the state and what to do about it, for a phone. */
export function StateBrief({ endpoint: { state, step } }: { endpoint: ListedEndpoint }): Html {
  return (
    <>
      <Badge value={state} />
      {step === undefined ? null : (
        <>
          {" "}
          <a href={step.path} class="step">{step.text}</a>
        </>
      )}
    </>
  );
}

/** The column with the expiry of the served certificate. */
export const EXPIRES = {
  name: "expires",
  label: "Expires",
  cell: ({ served }: ListedEndpoint): Content => served === undefined ? "" : Expiry({ row: served }),
  under: ({ served, state }: ListedEndpoint): Content =>
    served === undefined ? "" : ExpiryBrief({ row: served, stated: BY_EXPIRY.has(state) }),
  layout: ["p2", "expiry-share"],
} as const;
