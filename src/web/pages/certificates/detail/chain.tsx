/** The chain as a diagram: each certificate, its signer and its errors. */

import { type Certificate, isCurrent } from "../../../../domain/certificates/mod.ts";
import type { ChainView } from "../../../../domain/certificates/chain/mod.ts";
import { awaitsStart, lacksRoot } from "../../../../domain/advice/mod.ts";
import type { Call } from "../../../call.ts";
import {
  Badge,
  BreakableName,
  Day,
  EmptyState,
  Form,
  type Html,
  Icon,
  Time,
  truncate,
} from "../../../kit/components/mod.ts";
import { withDays } from "../../../messages.ts";
import type { PermittedActions } from "../../../kit/mod.ts";
import { chainState } from "../chain_state.tsx";
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
    <section aria-labelledby="chain">
      <h2 id="chain">Chain</h2>
      {chain === undefined
        ? (
          <EmptyState text="No PEM is stored, so there is no chain to validate. Edit the certificate to add its PEM." />
        )
        : <ChainDiagram {...shared} chain={chain} />}
    </section>
  );
}

function ChainDiagram({ chain, ...shared }: Shared & { chain: ChainView }): Html {
  if (shared.certificate.chain_status === null) {
    return (
      <div class="card neutral">
        <NotValidated {...shared} />
        <Links chain={chain} />
      </div>
    );
  }
  // The expiry of a replaced certificate is not a fault, and a revoked one is as untrusted as without its chain.
  const { reason } = chainState(chain.status, shared.certificate);
  const past = reason !== undefined && !isCurrent(shared.certificate) || awaitsStart(chain);
  return (
    <div class={reason === "revoked" ? "card neutral" : past ? "card past" : "card"}>
      <p class="chain-status">
        <StatusBadge chain={chain} certificate={shared.certificate} />
      </p>
      <p>{messageWithNames(chain.message, chain.certificates)}.</p>
      <Links chain={chain} />
      <StoredStatus {...shared} chain={chain} />
    </div>
  );
}

function StatusBadge({ chain, certificate }: { chain: ChainView; certificate: Certificate }): Html {
  const { value, reason } = chainState(chain.status, certificate);
  if (reason === "revoked") {
    const words = value === "valid" ? "signatures valid" : value.replaceAll("_", " ");
    return <Badge value={`${words}, certificate revoked`} tone="plain" />;
  }
  if (lacksRoot(chain)) return <Badge value="root missing" tone="warn" />;
  return <Badge value={value} tone={reason === undefined ? undefined : "plain"} />;
}

/** Renders the certificates from the leaf to the root, and messages that belong to none of them. */
function Links({ chain }: { chain: ChainView }): Html {
  return (
    <>
      <ol class="chain">
        {chain.certificates.map((entry, index) => <Link entry={entry} position={index + 1} chain={chain} />)}
        <Missing chain={chain} />
      </ol>
      <MessageList title="Other errors" texts={beyondPicture(chain)} chain={chain} />
      <MessageList title="Warnings" texts={chain.warnings} chain={chain} />
    </>
  );
}

/** Renders the state before the first validation, which no other part of the page anticipates. */
function NotValidated({ call, certificate, permitted }: Shared): Html {
  return (
    <div class="toolbar chain-status">
      <Badge value="not validated yet" tone="plain" />
      {permitted.change ? <ValidateButton call={call} id={certificate.id} /> : null}
    </div>
  );
}

function ValidateButton({ call, id }: { call: Call; id: unknown }): Html {
  return (
    <Form call={call} action={`/certificates/${id}/validate/`} class="inline">
      <button type="submit" class="secondary small">Validate chain</button>
    </Form>
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
      <p class="signed">{signerOf(entry, position, chain)}</p>
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

/** Renders the signer; without a verified signature, the issuer's name. */
function signerOf(entry: Entry, position: number, chain: ChainView): Html {
  if (entry.is_self_signed) return <>Self-signed</>;
  const last = position === chain.certificates.length;
  const denied = chain.failures.some((one) => one.position === position && one.code === "bad_signature");
  const name = truncate(last ? entry.issuer : nextName(chain, position), 120);
  return (
    <>
      {denied ? "Claims to be signed by" : "Signed by"} <bdi>{name}</bdi>
    </>
  );
}

function nextName(chain: ChainView, position: number): string {
  return chain.certificates[position]?.common_name ?? "";
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

/** Returns errors that belong to no certificate of the diagram. */
function beyondPicture({ errors, failures }: ChainView): string[] {
  return errors.slice(failures.length);
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

/** Renders the stored result, and the button that validates again. */
function StoredStatus({ call, certificate, permitted, chain }: Shared & { chain: ChainView }): Html {
  const stored = String(certificate.chain_status);
  return (
    <div class="toolbar">
      <span class="faint">
        {certificate.chain_validated_at === null
          ? "A new issuer is stored; this is validated again within a minute."
          : <Validated stored={stored} at={certificate.chain_validated_at} status={chain.status} />}
      </span>
      {permitted.change ? <ValidateButton call={call} id={certificate.id} /> : null}
    </div>
  );
}

/** Renders the stored result with its time; a different one in the past tense. */
function Validated({ stored, at, status }: { stored: string; at: string; status: string }): Html {
  const result = stored.replaceAll("_", " ");
  if (stored === status) {
    return (
      <>
        Last validated <Time at={at} />: {result}.
      </>
    );
  }
  return (
    <>
      Was {result} on <Day at={at} />; {CHANGES[status] ?? `it is ${status.replaceAll("_", " ")} now`}.
    </>
  );
}

/** What has happened to a chain that had another result when it was last validated. */
const CHANGES: Readonly<Record<string, string>> = {
  expired: "it has expired since",
  valid: "it is valid now",
};
