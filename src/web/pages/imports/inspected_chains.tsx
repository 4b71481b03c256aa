/** The certificates of a text by chain: those that issue no others, then their issuers. */

import { counted, numberText } from "../../../base/amounts.ts";
import { certificates } from "../../../domain/certificates/mod.ts";
import type { InspectedCertificate } from "../../../domain/certificates/import/mod.ts";
import { hasHostName } from "../../../x509/mod.ts";
import {
  Badge,
  BreakableName,
  Day,
  Expiry,
  type Html,
  Joined,
  Property,
  PropertyList,
  type Tone,
  truncate,
} from "../../kit/components/mod.ts";
import { labelOf, withDays, withLabels, withoutIds } from "../../messages.ts";
import { objectPath } from "../../paths.ts";
import { type ChainGroup, chainGroups } from "./chain_groups.ts";
import { Names } from "./long_text.tsx";
import { isRenewing, Renewable } from "./renewable.tsx";
import { chainOnlyOf, SeparateIssuers } from "./separate_issuers.tsx";

/** Maximum number of certificates that are shown. */
const MAX_SHOWN = 60;

/** Renders the first certificates, grouped; an issuer of several chains is described in the first of them. */
export function InspectedChains(
  { all, form, given }: {
    all: readonly InspectedCertificate[];
    /** Id of the form that imports them. */
    form: string;
    /** The form with earlier choices. */
    given: FormData;
  },
): Html {
  const blocked = all.some(({ status }) => status === "error");
  const described = new Set<InspectedCertificate>();
  const groups = chainGroups(all).map((group) => {
    const rows = [...group.heads, ...group.issuers].filter((one) =>
      !described.has(one) && described.size < MAX_SHOWN && described.add(one)
    );
    return { ...group, rows };
  }).filter(({ rows }) => rows.length > 0);
  return (
    <>
      {groups.map(({ rows, ...group }) => (
        <section class="box bundle" aria-label={headingOf(group)}>
          {rows.map((one) => (
            <Inspected
              one={one}
              all={all}
              blocked={blocked}
              issuer={group.issuers.includes(one)}
              open={all.length === 1}
              form={form}
              given={given}
            />
          ))}
          <ChainNotes group={group} rows={rows} />
          {blocked ? null : <SeparateIssuers group={group} rows={rows} form={form} given={given} />}
        </section>
      ))}
      {all.length > described.size
        ? <p class="faint">… and {numberText(all.length - described.size)} more.</p>
        : null}
    </>
  );
}

function headingOf({ heads }: ChainGroup): string {
  const [first] = heads as [InspectedCertificate];
  return `Chain of ${truncate(first.common_name)}`;
}

/** Renders which issuers are described above, and once for all new certificates whether the chain is complete. */
function ChainNotes({ group, rows }: { group: ChainGroup; rows: readonly InspectedCertificate[] }): Html {
  const above = group.issuers.filter((one) => !rows.includes(one));
  const results = group.heads.filter(({ status, expiry_status: expiry }) =>
    status === "create" && expiry !== "expired"
  ).flatMap(({ chain, issuer }) => chain === undefined ? [] : [chainText(chain, issuer)]);
  const [only] = results;
  return (
    <>
      {above.length === 0 ? null : (
        <p class="faint">
          Issued by{" "}
          <Joined items={above.map((one) => <bdi>{truncate(one.common_name)}</bdi>)} />, described above.
        </p>
      )}
      {only === undefined || new Set(results).size > 1 ? null : <p class="bundle-chain faint">{only}</p>}
    </>
  );
}

/** Returns the result of chain validation in words, and what to do about a missing issuer. */
function chainText({ status, message }: NonNullable<InspectedCertificate["chain"]>, issuer: string): string {
  if (status !== "no_chain") return `${withDays(message)}.`;
  return `The issuer "${truncate(issuer, 120)}" is neither here nor among the authorities. ` +
    "Add its certificate to this import, or create the authority.";
}

/** Returns what the import does with a certificate, with its tone. */
function outcomeOf(
  one: InspectedCertificate,
  { all, blocked, given }: { all: readonly InspectedCertificate[]; blocked: boolean; given: FormData },
): readonly [word: string, tone: Tone] {
  if (one.status === "error") return ["error", "bad"];
  if (one.status === "create") {
    if (blocked) return ["not added", "plain"];
    if (chainOnlyOf(given).includes(one.fingerprint_sha256)) return ["only in the chain", "good"];
    return [isRenewing(one, given) ? "will renew" : "will be added", "good"];
  }
  const isRepeated = all.some(({ place, fingerprint_sha256: print }) =>
    place < one.place && print === one.fingerprint_sha256
  );
  return [isRepeated ? "duplicate" : "already known", "info"];
}

/** Words for warnings that are shown without opening the certificate. */
const FLAGS: Readonly<Record<string, string>> = { short_key: "weak key", weak_signature: "weak signature" };

const CHAIN_FLAGS: Readonly<Record<string, readonly [word: string, tone: Tone]>> = {
  no_chain: ["chain incomplete", "warn"],
  incomplete: ["chain incomplete", "warn"],
  invalid_signature: ["invalid signature", "bad"],
};

/** Returns warnings about a certificate before it is imported. */
function flagsOf(one: InspectedCertificate): (readonly [word: string, tone: Tone])[] {
  const { warnings, chain } = one;
  const chainFlag = chain === undefined ? undefined : CHAIN_FLAGS[chain.status];
  const other = warnings.filter(({ code }) => FLAGS[code] === undefined).length;
  return [
    ...(one.expiry_status === "expired" ? [["expired", "bad"] as const] : []),
    ...(one.is_not_yet_valid ? [["not yet valid", "warn"] as const] : []),
    ...(one.is_self_signed ? [["self-signed", roleText(one) === LEAF ? "warn" : "plain"] as const] : []),
    ...(chainFlag === undefined || one.status !== "create" ? [] : [chainFlag]),
    ...warnings.flatMap(({ code }) => FLAGS[code] === undefined ? [] : [[FLAGS[code], "warn"] as const]),
    ...(other === 0 ? [] : [[counted(other, "warning"), "warn"] as const]),
  ];
}

const LEAF = "certificate";

/**
 * Returns the role in words. A self-signed certificate of a host is a leaf although it is marked as an authority, the
 * default of `openssl req -x509`; without alternative names, its common name is that of the host.
 */
function roleText({ role, sans, common_name: name }: InspectedCertificate): string {
  const ofHost = hasHostName(sans) || (sans.length === 0 && HOST.test(name));
  return role === "end entity" || (role === "root" && ofHost) ? LEAF : role;
}

/** A host name of several labels; the last one is a name, not a number. */
const HOST = /^(\*\.)?([a-z0-9-]+\.)+[a-z][a-z0-9-]*$/i;

function Inspected(
  { one, all, blocked, issuer, open, form, given }: {
    one: InspectedCertificate;
    all: readonly InspectedCertificate[];
    blocked: boolean;
    issuer: boolean;
    open: boolean;
    form: string;
    given: FormData;
  },
): Html {
  const [word, tone] = outcomeOf(one, { all, blocked, given });
  return (
    <>
      <details
        class={issuer ? "found issuer" : "found"}
        open={open || one.status === "error"}
        data-fingerprint={one.status === "create" ? one.fingerprint_sha256 : undefined}
      >
        <summary>
          <span class="place">{one.place}</span>
          <bdi class="name">
            <BreakableName text={truncate(one.common_name)} />
          </bdi>
          <span class="role">{roleText(one)}</span>
          <Badge value={word} tone={tone} />
          <Expiry row={one} />
          <span class="flags">
            {flagsOf(one).map(([flag, flagTone]) => <Badge value={flag} tone={flagTone} />)}
          </span>
        </summary>
        <Messages one={one} />
        <Properties one={one} />
        {one.warnings.length === 0
          ? null
          : <ul class="warnings">{one.warnings.map(({ message }) => <li>{message}</li>)}</ul>}
      </details>
      {blocked ? null : <Renewable one={one} form={form} given={given} />}
    </>
  );
}

function Properties({ one }: { one: InspectedCertificate }): Html {
  return (
    <PropertyList>
      <Property name="Subject">
        <Names text={one.subject} />
      </Property>
      <Property name="Issuer">
        <Names text={one.issuer} />
      </Property>
      <Property name="Serial number">
        <code>
          <BreakableName text={one.serial_number} />
        </code>
      </Property>
      <Property name="Validity">
        <Day at={one.valid_from} /> – <Day at={one.valid_to} />
      </Property>
      <Property name="Key">{one.key}{one.key_size === null ? "" : ` ${one.key_size}`}</Property>
      <Property name="Subject alternative names">
        {one.sans.length === 0 ? null : <Names list={one.sans} />}
      </Property>
      <Property name={labelOf("fingerprint_sha256")}>
        <code>
          <BreakableName text={one.fingerprint_sha256} />
        </code>
      </Property>
      {one.file === undefined && one.line === undefined ? null : (
        <Property name="Position">
          {one.file === undefined ? null : <bdi>{truncate(one.file)}</bdi>}
          {one.line === undefined
            ? null
            : `${one.file === undefined ? "From" : ", from"} line ${numberText(one.line)}`}
        </Property>
      )}
    </PropertyList>
  );
}

/** Renders the errors, or why the certificate is skipped, with a link to the existing one. */
function Messages({ one: { status, messages, existing } }: { one: InspectedCertificate }): Html | null {
  const entries = Object.entries(messages);
  if (entries.length === 0) return null;
  return (
    <p class={status === "error" ? "wrong" : "faint"}>
      {entries.map(([field, texts]) =>
        `${field === "__all__" ? "" : `${labelOf(field)}: `}${
          texts.map(withoutIds).map(withLabels).join(" ")
        }`
      )
        .join(" ")}
      {existing === null ? null : (
        <>
          {" "}
          <a href={objectPath(certificates, existing)}>View certificate</a>
        </>
      )}
    </p>
  );
}
