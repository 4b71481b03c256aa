/** The chain as a diagram: each certificate, its signer and its errors. */

import { type Certificate, isCurrent } from "../../../../domain/certificates/mod.ts";
import type { ChainView } from "../../../../domain/certificates/chain/view_chain.ts";
import { awaitsStart, lacksRoot } from "../../../../domain/advice/mod.ts";
import type { Call } from "../../../call.ts";
import {
  Badge,
  BreakableName,
  Day,
  EmptyState,
  type Html,
  Icon,
  Section,
  Time,
  truncate,
} from "../../../kit/components/mod.ts";
import { withDays } from "../../../messages.ts";
import { type PermittedActions, PostButton } from "../../../kit/mod.ts";
import { chainState } from "../cells.tsx";
import { messageWithNames } from "./chain_texts.ts";

/** The certificate of the page, and the user's permitted actions. */
interface Shared {
  readonly call: Call;
  readonly certificate: Certificate;
  readonly permitted: PermittedActions;
}

/** Renders the diagram from the leaf to the root, the result, and the stored result. */
export function ChainSection({ chain, ...shared }: Shared & { chain: ChainView | undefined }): Html {
  return (
    <Section id="chain" title="Chain">
      {chain === undefined
        ? (
          <EmptyState text="No PEM is stored, so there is no chain to validate. Edit the certificate to add its PEM." />
        )
        : <ChainDiagram {...shared} chain={chain} />}
    </Section>
  );
}

function ChainDiagram({ call, certificate, permitted, chain }: Shared & { chain: ChainView }): Html {
  const { id, chain_status: stored, chain_validated_at: at } = certificate;
  const validate = !permitted.change ? null : (
    <PostButton
      call={call}
      action={`/certificates/${id}/validate/`}
      label="Validate chain"
      class="secondary small"
    />
  );
  // No other part of the page anticipates the first validation.
  if (stored === null) {
    return (
      <div class="card neutral">
        <div class="toolbar chain-status">
          <Badge value="not validated yet" tone="plain" />
          {validate}
        </div>
        <Links chain={chain} />
      </div>
    );
  }
  // The expiry of a replaced certificate is not a fault, and a revoked one is as untrusted as without its chain.
  const { value, reason } = chainState(chain.status, certificate);
  const past = reason !== undefined && !isCurrent(certificate) || awaitsStart(chain);
  const words = value === "valid" ? "signatures valid" : value.replaceAll("_", " ");
  return (
    <div class={reason === "revoked" ? "card neutral" : past ? "card past" : "card"}>
      <p class="chain-status">
        {reason === "revoked"
          ? <Badge value={`${words}, certificate revoked`} tone="plain" />
          : lacksRoot(chain)
          ? <Badge value="root missing" tone="warn" />
          : <Badge value={value} tone={reason === undefined ? undefined : "plain"} />}
      </p>
      <p>{messageWithNames(chain.message, chain.certificates)}.</p>
      <Links chain={chain} />
      <div class="toolbar">
        <span class="faint">
          {at === null ? "A new issuer is stored; this is validated again within a minute." : (
            <>
              Last validated <Time at={at} />: {stored.replaceAll("_", " ")}.
            </>
          )}
        </span>
        {validate}
      </div>
    </div>
  );
}

/** Renders the certificates from the leaf to the root, and messages that belong to none of them. */
function Links({ chain }: { chain: ChainView }): Html {
  return (
    <>
      <ol class="chain">
        {chain.certificates.map((entry, index) => <Link entry={entry} position={index + 1} chain={chain} />)}
        <Missing chain={chain} />
      </ol>
      <MessageList title="Other errors" texts={chain.errors.slice(chain.failures.length)} chain={chain} />
      <MessageList title="Warnings" texts={chain.warnings} chain={chain} />
    </>
  );
}

type Entry = ChainView["certificates"][number];

/** Renders one certificate with its role and errors. */
function Link({ entry, position, chain }: { entry: Entry; position: number; chain: ChainView }): Html {
  const failures = chain.failures.filter((one) => one.position === position);
  const last = position === chain.certificates.length;
  return (
    <li class={failures.length > 0 ? "link bad" : "link"}>
      <div class="role">
        <Icon
          name={failures.length > 0 ? "warning" : entry.is_leaf && !entry.is_ca ? "certificate" : "authority"}
        />
        {roleOf(entry, last, chain)}
      </div>
      <strong>
        <bdi>{truncate(entry.common_name, 120)}</bdi>
      </strong>{" "}
      <span class="faint">
        <Day at={entry.valid_from} /> – <Day at={entry.valid_to} />
      </span>
      {failures.map(({ sentence }) => (
        <p class="fault">
          It {withDays(sentence)}.
        </p>
      ))}
      <p class="signed">
        {entry.is_self_signed ? "Self-signed" : (
          <>
            {failures.some(({ code }) => code === "bad_signature") ? "Claims to be signed by" : "Signed by"}
            {" "}
            {/* Without a verified signature, the issuer's name. */}
            <bdi>{truncate(last ? entry.issuer : chain.certificates[position]?.common_name ?? "", 120)}</bdi>
          </>
        )}
      </p>
      <details>
        <summary>Details</summary>
        <p>
          Subject: <bdi>{truncate(entry.subject, 500)}</bdi>
          <br />
          Issuer: <bdi>{truncate(entry.issuer, 500)}</bdi>
          <br />
          Serial number:{" "}
          <code>
            <BreakableName text={entry.serial_number} />
          </code>
          <br />
          SHA-256 fingerprint:{" "}
          <code>
            <BreakableName text={entry.fingerprint_sha256} />
          </code>
          {failures.length === 0 ? null : (
            <>
              <br />
              Standard: {[...new Set(failures.map(({ citation }) => citation))].join(", ")}
            </>
          )}
        </p>
      </details>
    </li>
  );
}

/** Reasons why the end of the path is trusted. */
const TRUST = { tracked_ca: "a tracked authority", public_root: "a public root" } as const;

const ANCHORS = {
  bundle: "Root, included in the chain",
  tracked_ca: `Trust anchor, ${TRUST.tracked_ca}`,
  public_root: `Trust anchor, ${TRUST.public_root}`,
} as const;

/** Returns the role. The certificate of the page is the leaf of its path, but can be an authority. */
function roleOf(entry: Entry, last: boolean, { anchor }: ChainView): string {
  if (entry.is_leaf && !entry.is_ca) {
    return entry.is_self_signed ? "This certificate, self-signed" : "This certificate";
  }
  if (!entry.is_leaf && last && anchor !== "none") return ANCHORS[anchor];
  const role = `${entry.is_self_signed ? "Root" : "Intermediate"}${entry.is_ca ? " CA" : ""}`;
  if (!entry.is_leaf) return role;
  if (last && anchor !== "none" && anchor !== "bundle") return `${role}, ${TRUST[anchor]}`;
  return entry.is_self_signed ? "Self-signed CA" : role;
}

/** Renders the place of a missing issuer. */
function Missing({ chain }: { chain: ChainView }): Html | null {
  const missing = chain.failures.find(({ code }) => code === "issuer_missing");
  const last = chain.certificates.at(-1);
  if (last === undefined || (missing === undefined && (chain.complete || last.is_self_signed))) return null;
  return (
    <li class={missing === undefined ? "link open" : "link open bad"}>
      <div class="role">
        <Icon name="authority" />Missing
      </div>
      <strong>
        <bdi>{truncate(last.issuer, 120)}</bdi>
      </strong>
    </li>
  );
}

function MessageList(
  { title, texts, chain: { certificates } }: { title: string; texts: readonly string[]; chain: ChainView },
): Html | null {
  if (texts.length === 0) return null;
  return (
    <details>
      <summary>{title} ({texts.length})</summary>
      <ul>{texts.map((text) => <li>{truncate(messageWithNames(text, certificates), 500)}</li>)}</ul>
    </details>
  );
}
