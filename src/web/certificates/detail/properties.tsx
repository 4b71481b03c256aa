/** The facts of a certificate, and its validity as a bar. */

import { DAY_MS } from "../../../base/clock.ts";
import { Badge, Day, type Html, Property, PropertyList, Time, YesNo } from "../../components/mod.ts";
import { type ApiObject, ObjectLink, Text, valueOf } from "../../objects/mod.ts";
import { certificates } from "../../../domain/certificates/mod.ts";
import { Expiry } from "../columns.tsx";

/** Names that are shown at once; more are folded. */
const SHOWN_NAMES = 12;

/** Who, by whom, until when. */
export function CertificateProperties({ certificate: row }: { certificate: ApiObject }): Html {
  return (
    <div class="card">
      <ValidityBar row={row} />
      <PropertyList>
        <Property name="Status">
          <Badge value={String(row.status)} />
        </Property>
        <Property name="Valid to">
          <Expiry row={row} />
        </Property>
        <Property name="Issuer">
          <Text text={String(row.issuer)} />
        </Property>
        <Property name="Issuing CA">{brief(row.issuing_ca)}</Property>
        <Property name="Tenant">{brief(row.tenant)}</Property>
        <Property name="Serial number">
          <code>{String(row.serial_number)}</code>
        </Property>
        <Property name="Key">
          {String(row.algorithm).toUpperCase()}
          {row.key_size === null ? "" : ` ${row.key_size}`}
        </Property>
        <Property name="SHA-256">
          <code>{String(row.fingerprint_sha256)}</code>
        </Property>
        <Property name="Private key location" help="Where the private key is stored; never the key itself">
          {row.private_key_location === "" ? null : <Text text={String(row.private_key_location)} />}
        </Property>
        <Property name="ACME">
          {row.acme_provider === ""
            ? <YesNo value={row.is_acme as boolean} />
            : <Badge value={String(row.acme_provider)} />}
        </Property>
        <Property name="Tags">
          {(row.tags as unknown[]).length === 0 ? null : valueOf(field("tags"), row.tags)}
        </Property>
        <Property name="Replaced by">{brief(row.replaced_by)}</Property>
        {row.pem_matches === false
          ? (
            <Property name="PEM">
              <Badge value="does not match these fields" tone="bad" />
            </Property>
          )
          : null}
        <Property name="Last updated">
          <Time at={row.last_updated as string} />
        </Property>
      </PropertyList>
      <Names names={row.sans as string[]} />
    </div>
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
      <h3>Subject alternative names</h3>
      <ul class="words">{list(names.slice(0, SHOWN_NAMES))}</ul>
      {names.length <= SHOWN_NAMES ? null : (
        <details>
          <summary>{(names.length - SHOWN_NAMES).toLocaleString("en")} more</summary>
          <ul class="words">{list(names.slice(SHOWN_NAMES))}</ul>
        </details>
      )}
    </div>
  );
}

/** How much of the validity has passed. */
function ValidityBar({ row }: { row: ApiObject }): Html {
  const [from, to] = [Date.parse(String(row.valid_from)), Date.parse(String(row.valid_to))];
  const now = to - Number(row.days_remaining) * DAY_MS;
  const passed = Math.min(1, Math.max(0, (now - from) / Math.max(1, to - from)));
  const words = `${Math.round(passed * 100)} % of the validity has passed`;
  return (
    <div class="validity">
      <span>
        <Day at={String(row.valid_from)} />
      </span>
      <svg viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label={words}>
        <rect class="track" width="100" height="6" rx="2" />
        <rect class={`passed ${row.expiry_status}`} width={String(passed * 100)} height="6" rx="2" />
      </svg>
      <span>
        <Day at={String(row.valid_to)} />
      </span>
    </div>
  );
}
