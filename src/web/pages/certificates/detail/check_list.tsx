/** Compliance results of a certificate. */

import { isCurrent } from "../../../../domain/certificates/mod.ts";
import { isGranted } from "../../../../auth/mod.ts";
import { counted } from "../../../../base/amounts.ts";
import { type Check, policies } from "../../../../domain/compliance/mod.ts";
import { type CertificateFacts, failedChecks, faultOf, MAX_FACTS } from "../../../../domain/advice/mod.ts";
import type { Call } from "../../../call.ts";
import { Badge, Day, EmptyState, type Html, Section, Table, Time } from "../../../kit/components/mod.ts";
import { ObjectLink, PostButton } from "../../../kit/mod.ts";
import { faultText } from "./chain_texts.ts";

/** Renders failures, then the other results in a collapsed list, and the button that checks again. */
export function CheckList(
  { call, known, rows }: { call: Call; known: CertificateFacts; rows: readonly Check[] },
): Html {
  const { certificate, unchecked } = known;
  const { id } = certificate;
  const past = isCurrent(certificate) ? undefined : certificate.status;
  const failed = rows.filter(({ result }) => result !== "pass");
  const passed = rows.filter(({ result }) => result === "pass");
  const newest = rows.map(({ checked_at }) => checked_at).sort().at(-1);
  return (
    <Section id="checks" title="Compliance">
      {rows.length > 0 ? null : (
        <EmptyState
          text={unchecked.length === 0 ? "Not checked: there is no enabled policy." : "Not checked yet."}
        />
      )}
      {failed.length === 0 ? null : <Results caption="Compliance" rows={failed} known={known} />}
      {passed.length === 0 ? null : (
        <details class={past === undefined ? "box" : "box past"}>
          <summary>
            {counted(passed.length, "policy", "policies")} passed
            {past !== "revoked" ? "" : known.revokedAt === undefined ? "; it is revoked" : (
              <>
                ; revoked since <Day at={known.revokedAt} />
              </>
            )}
          </summary>
          <Results caption="Passed policies" rows={passed} known={known} />
        </details>
      )}
      {newest === undefined ? null : (
        <p class="faint">
          Checked <Time at={newest} />
        </p>
      )}
      {rows.length < MAX_FACTS ? null : (
        <p>
          <a href={`/checks/?certificate_id=${id}`}>View all results</a>
        </p>
      )}
      {isGranted(call.ctx, "manage_compliance", policies.objectType)
        ? (
          <PostButton
            call={call}
            action={`/certificates/${id}/check/`}
            label="Check compliance"
            icon="check"
            class="secondary"
          />
        )
        : null}
    </Section>
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
          layout: ["p2", "folds"],
        },
      ]}
    />
  );
}

/** Returns the message of a result; for a chain with an expired issuer the one of the banner, which names it. */
function messageOf(
  { message, policy, result, checked_value: value }: Check,
  { certificate, chain, now }: CertificateFacts,
): string {
  const isRejected = policy?.policy_type === "chain_required" && result === "fail" && value === "expired";
  const fault = isRejected && chain !== undefined && !certificate.is_expired
    ? faultOf(chain, now)
    : undefined;
  return fault === undefined ? message : `The chain is not valid: ${faultText(fault)}.`;
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
