/** Properties of a certificate, and its validity as a bar. */

import { numberText } from "../../../../base/amounts.ts";
import type { Call } from "../../../call.ts";
import {
  Badge,
  Copyable,
  Day,
  Expiry,
  type Html,
  Property,
  PropertyList,
} from "../../../kit/components/mod.ts";
import { capitalized, labelOf, wordsOf } from "../../../messages.ts";
import { CustomProperties, NotSet, ObjectLink, Text, Timestamps, valueOf } from "../../../kit/mod.ts";
import {
  type Certificate,
  certificates,
  isCurrent,
  passedPart,
  type StoredFindings,
} from "../../../../domain/certificates/mod.ts";
import { keyText } from "../columns.tsx";

/** Number of names that are shown; further ones are collapsed. */
const SHOWN_NAMES = 12;

/** Renders the main facts and the names of the certificate. */
export function CertificateProperties(
  { call, certificate: row, inUse }: {
    call: Call;
    certificate: Certificate;
    /** Whether it is still assigned or served although it was replaced or revoked. */
    inUse: boolean;
  },
): Html {
  const facts = factsOf(row, { past: !isCurrent(row) && !inUse });
  return (
    <div class="card">
      <ValidityBar row={row} />
      <PropertyList>
        {facts.filter(([, value]) => value !== null).map(([name, value]) => (
          <Property name={name}>{value}</Property>
        ))}
        <CustomProperties call={call} resource={certificates} object={row} />
      </PropertyList>
      <NotSet names={facts.filter(([, value]) => value === null).map(([name]) => name)} />
      <Findings findings={row.findings} />
      <Names names={row.sans} />
    </div>
  );
}

/** Returns names and values; null for those that are not set. */
function factsOf(
  row: Certificate,
  { past }: { past: boolean },
): readonly (readonly [name: string, value: Html | null])[] {
  const text = (value: unknown): Html | null => value === "" ? null : <Text text={String(value)} />;
  return [
    ["Status", <Badge value={row.status} />],
    ["Expires", <Expiry row={row} past={past} />],
    ["Tenant", brief(row.tenant)],
    ["Owner", row.owner === null ? null : <Owner owner={row.owner as OwnerValue} />],
    ["Authority", brief(row.issuing_ca)],
    ["Private key location", text(row.private_key_location)],
    ["Tags", row.tags.length === 0 ? null : <>{valueOf(field("tags"), row.tags)}</>],
    ["Description", text(row.description)],
    ...(row.replaced_by === null ? [] : [["Replaced by", brief(row.replaced_by)] as const]),
    ...(row.replacement_reason === ""
      ? []
      : [["Replacement reason", <>{capitalized(wordsOf(row.replacement_reason))}</>] as const]),
    ...(row.pem_matches === false
      ? [["PEM", <Badge value="does not match these fields" tone="bad" />] as const]
      : []),
    ...(row.archived
      ? [["Archived", <Badge value={row.pinned ? "archived, pinned" : "archived"} />] as const]
      : []),
  ];
}

/** Renders the identity of the certificate; serial number and fingerprint have one line each. */
export function Identity({ row }: { row: Certificate }): Html {
  return (
    <section class="card identity" aria-labelledby="identity">
      <h2 id="identity">Identity</h2>
      <PropertyList>
        <Property name="Issuer">
          <Text text={row.issuer} />
        </Property>
        <Property name="Serial number">
          <Copyable oneLine label="serial number" text={row.serial_number} />
        </Property>
        <Property name={labelOf("fingerprint_sha256")}>
          <Copyable oneLine label="fingerprint" text={row.fingerprint_sha256} />
        </Property>
        <Property name="Key">{keyText(row)}</Property>
        {row.acme_provider === "" && row.is_acme !== true ? null : (
          <Property name="ACME">
            <Badge value={providerName(row.acme_provider)} tone="plain" />
          </Property>
        )}
      </PropertyList>
      <Timestamps object={row} />
    </section>
  );
}

/** Names of the providers. */
const PROVIDERS: Readonly<Record<string, string>> = {
  "": "yes",
  letsencrypt_staging: "Let's Encrypt (staging)",
  letsencrypt: "Let's Encrypt",
  zerossl: "ZeroSSL",
  buypass: "Buypass",
  google: "Google Trust Services",
  sectigo: "Sectigo",
  digicert: "DigiCert",
};

function providerName(provider: string): string {
  return PROVIDERS[provider] ?? provider;
}

/** Renders findings about the PEM, each with a link to other certificates that have it. */
function Findings({ findings }: { findings: StoredFindings }): Html | null {
  if (findings.length === 0) return null;
  return (
    <div class="names">
      <h2>Findings</h2>
      <ul>
        {findings.map(({ code, message, section }) => (
          <li>
            <a href={`/certificates/?finding=${encodeURIComponent(code)}`}>{code.replaceAll("_", " ")}</a>:
            {" "}
            <bdi>{message}</bdi> <span class="faint">({section})</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The effective owner, as in the API. */
type OwnerValue =
  | { readonly contact: unknown; readonly role: Certificate | null; readonly via: string }
  | null;

const VIAS: Readonly<Record<string, string>> = { virtualmachine: "virtual machine" };

/** Renders the owner with the role and the origin. */
function Owner({ owner }: { owner: OwnerValue }): Html | null {
  if (owner === null) return null;
  const { contact, role, via } = owner;
  return (
    <>
      <ObjectLink brief={contact} />
      {role === null ? null : <>{" "}({role.display})</>}
      {via === "certificate" ? null : <span class="faint">{` through its ${VIAS[via] ?? via}`}</span>}
    </>
  );
}

function field(name: string): (typeof certificates.fields)[string] {
  return certificates.fields[name] as (typeof certificates.fields)[string];
}

function brief(value: unknown): Html | null {
  return value === null || value === undefined ? null : <ObjectLink brief={value} />;
}

function Names({ names }: { names: readonly string[] }): Html | null {
  if (names.length === 0) return <p class="faint names">No subject alternative names.</p>;
  const list = (some: readonly string[]): Html => (
    <>
      {some.map((name) => (
        <li>
          <bdi>{name}</bdi>
        </li>
      ))}
    </>
  );
  return (
    <div class="names">
      <h2>Subject alternative names</h2>
      <ul class="words">{list(names.slice(0, SHOWN_NAMES))}</ul>
      {names.length <= SHOWN_NAMES ? null : (
        <details>
          <summary>{numberText(names.length - SHOWN_NAMES)} more</summary>
          <ul class="words">{list(names.slice(SHOWN_NAMES))}</ul>
        </details>
      )}
    </div>
  );
}

/** Renders the elapsed part of the validity as a bar. */
function ValidityBar({ row }: { row: Certificate }): Html {
  const passed = passedPart(row);
  const words = `${Math.round(passed * 100)} % of the validity has passed`;
  return (
    <div class="validity">
      <span>
        <Day at={row.valid_from} />
      </span>
      <svg viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label={words}>
        <rect class="track" width="100" height="6" />
        <rect
          class={`passed ${isCurrent(row) ? row.expiry_status : "past"}`}
          width={String(passed * 100)}
          height="6"
        />
      </svg>
      <span>
        <Day at={row.valid_to} />
      </span>
    </div>
  );
}
