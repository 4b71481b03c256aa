/** Properties of a certificate, and its validity as a bar. */

import type { Brief } from "../../../../resource/mod.ts";
import {
  CustomProperties,
  type Fact,
  NotSet,
  ObjectLink,
  Text,
  Timestamps,
  valueOf,
} from "../../../kit/mod.ts";
import {
  Badge,
  type Content,
  Copyable,
  Day,
  Expiry,
  type Html,
  Property,
  PropertyList,
  Section,
} from "../../../kit/components/mod.ts";
import { numberText } from "../../../../base/amounts.ts";
import type { Call } from "../../../call.ts";
import { capitalized, labelOf, wordsOf } from "../../../messages.ts";
import {
  type Certificate,
  certificates,
  FROM_LIST,
  isCurrent,
  passedPart,
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
  const text = (value: string): Content | null => value === "" ? null : <Text text={value} />;
  const brief = (value: Brief | null): Content | null => value === null ? null : <ObjectLink brief={value} />;
  const { owner } = row;
  const facts: readonly Fact[] = [
    [
      "Status",
      <>
        <Badge value={row.status} />{" "}
        {row.discovered_via === FROM_LIST ? <span class="faint">known from a list</span> : null}
      </>,
    ],
    ["Expires", <Expiry row={row} past={!isCurrent(row) && !inUse} />],
    ["Tenant", brief(row.tenant)],
    [
      "Owner",
      owner === null ? null : (
        <>
          <ObjectLink brief={owner.contact} />
          {owner.role === null ? null : <>{" "}({owner.role.display})</>}
          {owner.via === "certificate"
            ? null
            : <span class="faint">{` through its ${VIAS[owner.via] ?? owner.via}`}</span>}
        </>
      ),
    ],
    ["Authority", brief(row.issuing_ca)],
    ["Private key location", text(row.private_key_location)],
    ["Tags", row.tags.length === 0 || tags === undefined ? null : valueOf(tags, row.tags)],
    ["Description", text(row.description)],
    ...(row.replaced_by === null ? [] : [["Replaced by", brief(row.replaced_by)] as const]),
    ...(row.replacement_reason === ""
      ? []
      : [["Replacement reason", capitalized(wordsOf(row.replacement_reason))] as const]),
    ...(row.pem_matches === false
      ? [["PEM", <Badge value="does not match these fields" tone="bad" />] as const]
      : []),
    ...(row.archived
      ? [["Archived", <Badge value={row.pinned ? "archived, pinned" : "archived"} />] as const]
      : []),
  ];
  const passed = passedPart(row) * 100;
  return (
    <div class="card">
      {/* The elapsed part of the validity. */}
      <div class="validity">
        <span>
          {/* A list without a start has the day of its import. */}
          {row.discovered_via === FROM_LIST && row.valid_from.slice(0, 10) >= row.created.slice(0, 10)
            ? UNKNOWN
            : <Day at={row.valid_from} />}
        </span>
        <svg
          viewBox="0 0 100 6"
          preserveAspectRatio="none"
          role="img"
          aria-label={`${Math.round(passed)} % of the validity has passed`}
        >
          <rect class="track" width="100" height="6" />
          <rect
            class={`passed ${isCurrent(row) ? row.expiry_status : "past"}`}
            width={String(passed)}
            height="6"
          />
        </svg>
        <span>
          <Day at={row.valid_to} />
        </span>
      </div>
      <PropertyList>
        {facts.filter(([, value]) => value !== null).map(([name, value]) => (
          <Property name={name}>{value}</Property>
        ))}
        <CustomProperties call={call} resource={certificates} object={row} />
      </PropertyList>
      <NotSet names={facts.filter(([, value]) => value === null).map(([name]) => name)} />
      {/* Findings about the PEM, each with a link to other certificates that have it. */}
      {row.findings.length === 0 ? null : (
        <div class="names">
          <h2>Findings</h2>
          <ul>
            {row.findings.map(({ code, message, section }) => (
              <li>
                <a href={`/certificates/?finding=${encodeURIComponent(code)}`}>
                  {code.replaceAll("_", " ")}
                </a>: <bdi>{message}</bdi> <span class="faint">({section})</span>
              </li>
            ))}
          </ul>
        </div>
      )}
      {row.sans.length === 0 ? <p class="faint names">No subject alternative names.</p> : (
        <div class="names">
          <h2>Subject alternative names</h2>
          <NameList names={row.sans.slice(0, SHOWN_NAMES)} />
          {row.sans.length <= SHOWN_NAMES ? null : (
            <details>
              <summary>{numberText(row.sans.length - SHOWN_NAMES)} more</summary>
              <NameList names={row.sans.slice(SHOWN_NAMES)} />
            </details>
          )}
        </div>
      )}
    </div>
  );
}

function NameList({ names }: { names: readonly string[] }): Html {
  return (
    <ul class="words">
      {names.map((name) => (
        <li>
          <bdi>{name}</bdi>
        </li>
      ))}
    </ul>
  );
}

/** What a certificate that is known from a list lacks. */
const UNKNOWN = <span class="faint">unknown</span>;

/** Renders the identity of the certificate; serial number and fingerprint have one line each. */
export function Identity({ row }: { row: Certificate }): Html {
  return (
    <Section id="identity" title="Identity" class="card identity">
      <PropertyList>
        <Property name="Issuer">{row.issuer === "" ? UNKNOWN : <Text text={row.issuer} />}</Property>
        {(["serial_number", "fingerprint_sha256"] as const).map((name) => (
          <Property name={labelOf(name)}>
            {row[name] === "" ? UNKNOWN : <Copyable oneLine label={labelOf(name)} text={row[name]} />}
          </Property>
        ))}
        <Property name="Key">{keyText(row)}</Property>
        {row.acme_provider === "" ? null : (
          <Property name="ACME provider">
            <Badge value={row.acme_provider} tone="plain" />
          </Property>
        )}
        <Property name="Automation">
          <Badge value={row.automation} tone="plain" />
        </Property>
      </PropertyList>
      <Timestamps object={row} />
    </Section>
  );
}

const { tags } = certificates.fields;
const VIAS: Readonly<Record<string, string>> = { virtualmachine: "virtual machine" };
