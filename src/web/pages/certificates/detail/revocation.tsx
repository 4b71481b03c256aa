/** What the authority of a certificate says about its revocation, with the evidence. */

import { isGranted } from "../../../../auth/mod.ts";
import type { Millis } from "../../../../base/clock.ts";
import { type Certificate, renewalWindowState } from "../../../../domain/certificates/mod.ts";
import { type RevocationCheck, revocationChecks } from "../../../../domain/revocation/mod.ts";
import { readRows } from "../../../../resource/mod.ts";
import type { Call } from "../../../call.ts";
import { Badge, type Html, Section, Table, Time } from "../../../kit/components/mod.ts";
import { type PermittedActions, PostButton } from "../../../kit/mod.ts";

const WORDS: Readonly<Record<Certificate["revocation_status"], string>> = {
  not_checked: "It names no list or responder that can be asked, or is not in use.",
  good: "Its authority says that it is not revoked.",
  revoked: "Its authority has revoked it.",
  unknown: "The responder of its authority does not know it.",
  not_needed: "Needs no check: it is short-lived, self-signed, or its authority publishes nothing about it.",
  unavailable: "There is no valid and current answer.",
};
const WINDOW_WORDS = {
  ahead: "",
  open: "Renew it now.",
  passed: "This time has passed, and it has no successor.",
} as const;
const SOURCES = { crl: "Revocation list", ocsp: "OCSP", stapled: "Stapled by an endpoint" } as const;

/** Renders when its authority suggests the renewal; nothing if it has not said it. */
export function RenewalWindow({ certificate, now }: { certificate: Certificate; now: Millis }): Html | null {
  const state = certificate.replaced_by === null ? renewalWindowState(certificate, now) : undefined;
  if (state === undefined) return null;
  const { renewal_explanation_url: url } = certificate;
  return (
    <Section id="renewal-window" title="Renewal window">
      <p>
        Its authority suggests to renew it between <Time at={certificate.renewal_window_start} /> and{" "}
        <Time at={certificate.renewal_window_end} />. {WINDOW_WORDS[state]}
      </p>
      {url === "" ? null : (
        <p>
          Explanation of the authority: <a href={url} rel="noreferrer nofollow">{url}</a>
        </p>
      )}
    </Section>
  );
}

/** Reads the evidence about a certificate; none without the right to view it. */
export async function loadEvidence({ ctx }: Call, id: number): Promise<readonly RevocationCheck[]> {
  if (!isGranted(ctx, "view", revocationChecks.objectType)) return [];
  return (await readRows(ctx, revocationChecks, { params: { certificate_id: id, limit: 10 } })).rows;
}

/** Renders the status, the evidence, and the button that asks. */
export function RevocationSection(
  { call, certificate, evidence, permitted }: {
    call: Call;
    certificate: Certificate;
    evidence: readonly RevocationCheck[];
    permitted: PermittedActions;
  },
): Html {
  const { id, revocation_status: status, revoked_at: at, revocation_reason: reason } = certificate;
  const checked = certificate.revocation_checked_at;
  return (
    <Section id="revocation" title="Revocation">
      <p>
        <Badge value={status} /> {WORDS[status]} {at === null ? null : (
          <>
            Since <Time at={at} />
            {reason === "" ? "." : `, reason: ${reason.replaceAll("_", " ")}.`}
          </>
        )}
      </p>
      {evidence.length === 0 ? null : (
        <Table
          caption="Evidence of revocation"
          rows={evidence}
          columns={[
            { label: "Source", cell: (row) => <span title={row.source_url}>{SOURCES[row.source]}</span> },
            { label: "Answer", cell: (row) => <Badge value={row.status} /> },
            {
              label: "Message",
              cell: (row) => <bdi>{row.message}</bdi>,
              layout: ["p2", "folds"],
            },
            { label: "Valid until", cell: (row) => <Time at={row.next_update} />, layout: ["p3"] },
          ]}
        />
      )}
      <div class="toolbar">
        <span class="faint">
          {checked === null ? "Not checked yet." : (
            <>
              Checked <Time at={checked} />
            </>
          )}
        </span>
        {permitted.change
          ? (
            <PostButton
              call={call}
              action={`/certificates/${id}/check-revocation/`}
              label="Check revocation"
              class="secondary small"
            />
          )
          : null}
      </div>
    </Section>
  );
}
