/** The certificates of a text by chain: those that issue no others, then their issuers. */

import { counted, numberText } from "../../../base/amounts.ts";
import { certificates } from "../../../domain/certificates/mod.ts";
import type { InspectedCertificate } from "../../../domain/certificates/import/mod.ts";
import { hasHostName } from "../../../x509/mod.ts";
import {
  Badge,
  BreakableName,
  type Content,
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
import { type ChainGroup, chainGroups, chainOnlyOf, SeparateIssuers } from "./chain_groups.tsx";
import { isRenewing, Renewable } from "./renewable.tsx";

/** Maximum number of certificates that are shown. */
const MAX_SHOWN = 60;

/** The certificates of a page. */
interface Shown {
  readonly all: readonly InspectedCertificate[];
  /** The form with earlier choices. */
  readonly given: FormData;
  /** Whether an error of one certificate prevents the import. */
  readonly blocked: boolean;
}

/** Renders the first certificates, grouped; an issuer of several chains is described in the first of them. */
export function InspectedChains({ all, given }: Omit<Shown, "blocked">): Html {
  const shown = { all, given, blocked: all.some(({ status }) => status === "error") };
  const described = new Set<InspectedCertificate>();
  const groups = chainGroups(all).map((group) => {
    const rows = [...group.heads, ...group.issuers].filter((one) =>
      !described.has(one) && described.size < MAX_SHOWN && described.add(one)
    );
    return { group, rows };
  }).filter(({ rows }) => rows.length > 0);
  return (
    <>
      {groups.map(({ rows, group }) => (
        <section
          class="box bundle"
          aria-label={`Chain of ${truncate(group.heads[0]?.common_name ?? "")}`}
        >
          {rows.map((one) => (
            <>
              <Inspected one={one} issuer={group.issuers.includes(one)} {...shown} />
              {shown.blocked ? null : <Renewable one={one} given={given} />}
            </>
          ))}
          <ChainNotes group={group} rows={rows} />
          {shown.blocked ? null : <SeparateIssuers group={group} rows={rows} given={given} />}
        </section>
      ))}
      {all.length > described.size
        ? <p class="faint">… and {numberText(all.length - described.size)} more.</p>
        : null}
    </>
  );
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

type Word = readonly [word: string, tone: Tone];

/** Returns what the import does with a certificate, with its tone. */
function outcomeOf(one: InspectedCertificate, { all, blocked, given }: Shown): Word {
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

const CHAIN_FLAGS: Readonly<Record<string, Word>> = {
  no_chain: ["chain incomplete", "warn"],
  incomplete: ["chain incomplete", "warn"],
  invalid_signature: ["invalid signature", "bad"],
};

/** Returns warnings about a certificate before it is imported. */
function flagsOf(one: InspectedCertificate): Word[] {
  const known = one.warnings.flatMap(({ code }) => FLAGS[code] ?? []);
  const other = one.warnings.length - known.length;
  const flags: (Word | false | undefined)[] = [
    one.expiry_status === "expired" && ["expired", "bad"],
    one.is_not_yet_valid && ["not yet valid", "warn"],
    one.is_self_signed && ["self-signed", roleText(one) === LEAF ? "warn" : "plain"],
    one.status === "create" && CHAIN_FLAGS[one.chain?.status ?? ""],
    ...known.map((word): Word => [word, "warn"]),
    other > 0 && [counted(other, "warning"), "warn"],
  ];
  return flags.filter((flag): flag is Word => typeof flag === "object");
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

function Inspected({ one, issuer, ...shown }: Shown & { one: InspectedCertificate; issuer: boolean }): Html {
  const [word, tone] = outcomeOf(one, shown);
  return (
    <details
      class={issuer ? "found issuer" : "found"}
      open={shown.all.length === 1 || one.status === "error"}
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
  );
}

function Properties({ one }: { one: InspectedCertificate }): Html {
  const code = (text: string): Html => (
    <code>
      <BreakableName text={text} />
    </code>
  );
  const position = [
    one.file === undefined ? null : <bdi>{truncate(one.file)}</bdi>,
    one.line === undefined
      ? null
      : `${one.file === undefined ? "From" : ", from"} line ${numberText(one.line)}`,
  ];
  const properties: readonly (readonly [name: string, value: Content])[] = [
    ["Subject", <bdi>{cut(one.subject)}</bdi>],
    ["Issuer", <bdi>{cut(one.issuer)}</bdi>],
    ["Serial number", code(one.serial_number)],
    [
      "Validity",
      <>
        <Day at={one.valid_from} /> – <Day at={one.valid_to} />
      </>,
    ],
    ["Key", `${one.key}${one.key_size === null ? "" : ` ${one.key_size}`}`],
    ["Subject alternative names", one.sans.length === 0 ? null : <Names list={one.sans} />],
    [labelOf("fingerprint_sha256"), code(one.fingerprint_sha256)],
    ...(position.every((part) => part === null) ? [] : [["Position", position] as const]),
  ];
  return (
    <PropertyList>{properties.map(([name, value]) => <Property name={name}>{value}</Property>)}</PropertyList>
  );
}

/** Maximum number of characters of a text, and of names of a list. */
const [MAX_CHARS, SHOWN_NAMES] = [300, 20];

function cut(text: string): string {
  if (text.length <= MAX_CHARS) return text;
  return `${truncate(text, MAX_CHARS)} (${numberText(text.length)} characters)`;
}

function Names({ list }: { list: readonly string[] }): Html {
  const rest = list.length - SHOWN_NAMES;
  return (
    <ul class="names">
      {list.slice(0, SHOWN_NAMES).map((name) => (
        <li>
          <bdi>{cut(name)}</bdi>
        </li>
      ))}
      {rest > 0 ? <li class="faint">and {numberText(rest)} more</li> : null}
    </ul>
  );
}

/** Renders the errors, or why the certificate is skipped, with a link to the existing one. */
function Messages({ one: { status, messages, existing } }: { one: InspectedCertificate }): Html | null {
  const texts = Object.entries(messages).map(([field, own]) =>
    `${field === "__all__" ? "" : `${labelOf(field)}: `}${own.map(withoutIds).map(withLabels).join(" ")}`
  );
  if (texts.length === 0) return null;
  return (
    <p class={status === "error" ? "wrong" : "faint"}>
      {texts.join(" ")}
      {existing === null ? null : (
        <>
          {" "}
          <a href={objectPath(certificates, existing)}>View certificate</a>
        </>
      )}
    </p>
  );
}
