/** The certificates of a text by chain: those that issue no others, then their issuers. */

import { counted, numberText } from "../../../base/amounts.ts";
import { ALL_FIELDS } from "../../../base/findings.ts";
import { certificates } from "../../../domain/certificates/mod.ts";
import type { InspectedCertificate } from "../../../domain/certificates/import/mod.ts";
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
import { labelOf, withDays } from "../../messages.ts";
import { objectPath } from "../../paths.ts";
import { sentencesOf } from "./preview_parts.tsx";
import { type ChainGroup, chainGroups, isRenewing, Renewable } from "./renewable.tsx";

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
              {!shown.blocked && <Renewable one={one} given={given} />}
            </>
          ))}
          <ChainNotes group={group} rows={rows} />
        </section>
      ))}
      {all.length > described.size && (
        <p class="faint">… and {numberText(all.length - described.size)} more.</p>
      )}
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
      {above.length > 0 && (
        <p class="faint">
          Issued by{" "}
          <Joined items={above.map((one) => <bdi>{truncate(one.common_name)}</bdi>)} />, described above.
        </p>
      )}
      {only !== undefined && new Set(results).size === 1 && <p class="bundle-chain faint">{only}</p>}
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
    return [isRenewing(one, given) ? "will renew" : "will be added", "good"];
  }
  if (one.status === "update") return ["completes a record", "good"];
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
    one.is_self_signed && ["self-signed", one.role === "end entity" ? "warn" : "plain"],
    one.status === "create" && CHAIN_FLAGS[one.chain?.status ?? ""],
    ...known.map((word): Word => [word, "warn"]),
    other > 0 && [counted(other, "warning"), "warn"],
  ];
  return flags.filter((flag): flag is Word => typeof flag === "object");
}

/** Returns the role in words. */
function roleText({ role }: InspectedCertificate): string {
  return role === "end entity" ? "certificate" : role;
}

function Inspected({ one, issuer, ...shown }: Shown & { one: InspectedCertificate; issuer: boolean }): Html {
  const [word, tone] = outcomeOf(one, shown);
  return (
    <details
      class={issuer ? "found issuer" : "found"}
      open={shown.all.length === 1 || one.status === "error"}
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
      {one.warnings.length > 0 && (
        <ul class="warnings">{one.warnings.map(({ message }) => <li>{message}</li>)}</ul>
      )}
    </details>
  );
}

function Properties({ one }: { one: InspectedCertificate }): Html {
  const { file, line } = one;
  const code = (text: string): Html => (
    <code>
      <BreakableName text={text} />
    </code>
  );
  return (
    <PropertyList>
      <Property name="Subject">
        <bdi>{cut(one.subject)}</bdi>
      </Property>
      <Property name="Issuer">
        <bdi>{cut(one.issuer)}</bdi>
      </Property>
      <Property name="Serial number">{code(one.serial_number)}</Property>
      <Property name="Validity">
        <Day at={one.valid_from} /> – <Day at={one.valid_to} />
      </Property>
      <Property name="Key">{one.key} {one.key_size ?? ""}</Property>
      <Property name="Subject alternative names">
        {one.sans.length === 0 ? null : <Names list={one.sans} />}
      </Property>
      <Property name={labelOf("fingerprint_sha256")}>{code(one.fingerprint_sha256)}</Property>
      {(file ?? line) !== undefined && (
        <Property name="Position">
          {file !== undefined && <bdi>{truncate(file)}</bdi>}
          {line !== undefined && `${file === undefined ? "From" : ", from"} line ${numberText(line)}`}
        </Property>
      )}
    </PropertyList>
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
  const texts = [...Map.groupBy(messages, ({ field = ALL_FIELDS }) => field)].map(([field, own]) =>
    `${field === ALL_FIELDS ? "" : `${labelOf(field)}: `}${sentencesOf(own)}`
  );
  if (status === "update") texts.push("It is known from a list.");
  if (texts.length === 0) return null;
  return (
    <p class={status === "error" ? "wrong" : "faint"}>
      {texts.join(" ")}
      {existing !== null && (
        <>
          {" "}
          <a href={objectPath(certificates, existing)}>View certificate</a>
        </>
      )}
    </p>
  );
}
