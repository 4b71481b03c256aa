/** Compliance results of a certificate. */

import { isCurrent } from "../../../../domain/certificates/mod.ts";
import { isGranted } from "../../../../auth/mod.ts";
import { counted } from "../../../../base/amounts.ts";
import { type Check, policies } from "../../../../domain/compliance/mod.ts";
import {
  type CertificateFacts,
  failedChecks,
  faultOf,
  MAX_FACTS,
  type Unchecked,
} from "../../../../domain/advice/mod.ts";
import type { Call } from "../../../call.ts";
import {
  Badge,
  type Content,
  Day,
  EmptyState,
  Form,
  type Html,
  Icon,
  Table,
  Time,
} from "../../../kit/components/mod.ts";
import { ObjectLink } from "../../../kit/mod.ts";
import { faultText } from "./chain_texts.ts";

/** Renders the time of the newest result. */
function LastChecked({ rows }: { rows: readonly Check[] }): Html | null {
  const newest = rows.map(({ checked_at }) => checked_at).sort().at(-1);
  if (newest === undefined) return null;
  return (
    <p class="faint">
      Checked <Time at={newest} />
    </p>
  );
}

/** Renders failures, then the other results in a collapsed list, and the button that checks again. */
export function CheckList(
  { call, known, rows }: { call: Call; known: CertificateFacts; rows: readonly Check[] },
): Html {
  const { certificate, unchecked } = known;
  const { id } = certificate;
  const past = isCurrent(certificate) ? undefined : certificate.status;
  const checked = new Set(rows.map(({ policy }) => policy?.id));
  const open = rows.length === 0 || rows.length >= MAX_FACTS
    ? []
    : unchecked.filter(({ policy }) => !checked.has(policy.id));
  const failed = rows.filter(({ result }) => result !== "pass");
  const passed = rows.filter(({ result }) => result === "pass");
  return (
    <section aria-labelledby="checks">
      <h2 id="checks">Compliance</h2>
      {rows.length === 0 ? <EmptyState text={nothingText(unchecked)} /> : null}
      {failed.length === 0 ? null : <Results caption="Compliance" rows={failed} known={known} />}
      {passed.length === 0 ? null : (
        <details class={past === undefined ? "box" : "box past"}>
          <summary>
            {counted(passed.length, "policy", "policies")} passed
            {past === "revoked" ? <RevokedSince at={known.revokedAt} /> : ""}
          </summary>
          <Results caption="Passed policies" rows={passed} known={known} />
        </details>
      )}
      {open.length === 0 ? null : <UncheckedPolicies unchecked={open} />}
      <LastChecked rows={rows} />
      {rows.length < MAX_FACTS ? null : (
        <p>
          <a href={`/checks/?certificate_id=${id}`}>View all results</a>
        </p>
      )}
      {isGranted(call.ctx, "manage_compliance", policies.objectType)
        ? (
          <Form call={call} action={`/certificates/${id}/check/`} class="inline">
            <button type="submit" class="secondary">
              <Icon name="check" />Check compliance
            </button>
          </Form>
        )
        : null}
    </section>
  );
}

/** Returns the reason why there are no results. */
function nothingText(unchecked: readonly Unchecked[]): string {
  return unchecked.length === 0 ? "Not checked: there is no enabled policy." : "Not checked yet.";
}

function UncheckedPolicies({ unchecked }: { unchecked: readonly Unchecked[] }): Html {
  const { length } = unchecked;
  const count = counted(length, "policy", "policies");
  const summary = unchecked.some(({ applies }) => applies)
    ? `${count} not checked`
    : `${count} ${length === 1 ? "does" : "do"} not apply`;
  return (
    <details class="box">
      <summary>{summary}</summary>
      <Table
        caption="Policies without a result"
        rows={unchecked.map((one) => ({ ...one, id: one.policy.id }))}
        columns={[
          { label: "Policy", cell: ({ policy }) => <ObjectLink brief={policy} /> },
          { label: "Reason", cell: ({ reason }) => reason },
        ]}
      />
    </details>
  );
}

/** Says that a certificate is revoked, which no policy checks. */
function RevokedSince({ at }: { at: string | undefined }): Content {
  return at === undefined ? "; it is revoked" : (
    <>
      ; revoked since <Day at={at} />
    </>
  );
}

function Results(
  { caption, rows, known }: { caption: string; rows: readonly Check[]; known: CertificateFacts },
): Html {
  return (
    <Table
      caption={caption}
      rows={rows}
      columns={[
        { label: "Policy", cell: (row) => <ObjectLink brief={row.policy} /> },
        { label: "Result", cell: (row) => <Result check={row} known={known} /> },
        {
          label: "Message",
          cell: (row) => messageOf(row, known),
          layout: ["p2"],
          under: (row) => messageOf(row, known),
        },
      ]}
    />
  );
}

/** The end of the message about a chain with an expired certificate. */
const EXPIRED = ": expired.";

/** Returns the message of a result; for a chain with an expired issuer the one of the banner, which names it. */
function messageOf(
  { message: text }: Pick<Check, "message">,
  { certificate, chain, now }: CertificateFacts,
): string {
  if (!text.endsWith(EXPIRED) || chain === undefined || certificate.is_expired) return text;
  const fault = faultOf(chain, now);
  return fault === undefined ? text : text.replace(EXPIRED, `: ${faultText(fault)}.`);
}

/** Renders a result; in grey if it needs no attention: the certificate is not in use any more, or not yet. */
function Result({ check, known }: { check: Check; known: CertificateFacts }): Html {
  const { status, valid_from: start } = known.certificate;
  const result = check.result;
  if (!isCurrent(known.certificate)) {
    return (
      <>
        <Badge value={result === "fail" ? "failed" : "passed"} tone="plain" />{" "}
        <span class="faint">when it was {status}</span>
      </>
    );
  }
  if (result !== "fail" || failedChecks(known).includes(check)) return <Badge value={result} />;
  return (
    <>
      <Badge value="fails" tone="plain" />{" "}
      <span class="faint">
        until <Day at={start} />
      </span>
    </>
  );
}
