/** The chains of the preview of certificates, the choice which existing certificate one renews, and what a renewal would lose. */

import { first } from "../../../base/first.ts";
import { counted } from "../../../base/amounts.ts";
import { formatDatetime } from "../../../base/clock.ts";
import { invalidField } from "../../../base/errors.ts";
import type {
  InspectedCertificate,
  InspectedRenewal as Existing,
} from "../../../domain/certificates/import/mod.ts";
import { certificates, type RenewalWarning, REPLACEMENT_REASONS } from "../../../domain/certificates/mod.ts";
import { quote } from "../../../resource/mod.ts";
import { textOf } from "../../forms.ts";
import { Day, type Html, Icon, Select, truncate } from "../../kit/components/mod.ts";
import { issuerName } from "../../kit/mod.ts";
import { wordsOf } from "../../messages.ts";
import { objectPath } from "../../paths.ts";

/** A warning about a renewal in words. */
export interface WarningNote {
  readonly tone: "warn" | "info";
  readonly text: string;
}

const TONES: Readonly<Record<RenewalWarning["code"], WarningNote["tone"]>> = {
  self_signed: "warn",
  expired: "warn",
  earlier_expiry: "warn",
  weaker_key: "warn",
  no_chain: "warn",
  invalid_chain: "warn",
  in_incident: "warn",
  same_key: "warn",
  shorter_life: "info",
  other_issuer: "info",
};

/** Returns the warnings in words, the important ones first. */
export function warningNotes(warnings: readonly RenewalWarning[]): WarningNote[] {
  const notes = warnings.map((warning) => ({ tone: TONES[warning.code], text: textOfWarning(warning) }));
  return (["warn", "info"] as const).flatMap((tone) => notes.filter((note) => note.tone === tone));
}

/** Maximum length of a list of names. */
const NAMES_CHARS = 400;

/** Returns the warning about names that the new certificate does not cover; undefined without any. */
export function lostNote(lost: readonly string[]): WarningNote | undefined {
  if (lost.length === 0) return undefined;
  const names = truncate(lost.join(", "), NAMES_CHARS);
  return { tone: "warn", text: `Names the new certificate does not cover: ${names}` };
}

function textOfWarning(warning: RenewalWarning): string {
  switch (warning.code) {
    case "self_signed": {
      const issuer = issuerName(warning.issuer);
      return `The new certificate is self-signed. The current one was issued by ${issuer}. ` +
        "Clients that trust that authority will refuse it.";
    }
    case "expired":
      return `The new certificate expired on ${warning.at.slice(0, 10)}.`;
    case "earlier_expiry":
      return `The new certificate expires ${counted(warning.days, "day")} earlier than the current one: on ${
        warning.at.slice(0, 10)
      }, not on ${warning.before.slice(0, 10)}.`;
    case "weaker_key":
      return "The new certificate has a weaker key.";
    case "no_chain":
      return "The new certificate comes without its chain: add it behind the certificate, or servers will send none.";
    case "invalid_chain":
      return `The chain of the new certificate is not valid: ${warning.message} That of the current one is valid.`;
    case "in_incident":
      return `${warning.incident.name} demands that the new certificate is replaced, too.`;
    case "same_key":
      return "Same key reused: the new certificate has the key pair of the current one.";
    case "shorter_life":
      return `The new certificate is valid for ${warning.to} days, the current one for ${warning.from} days.`;
    case "other_issuer": {
      const isNamedAlike = issuerName(warning.issuer) === issuerName(warning.before);
      const of = isNamedAlike ? (name: string): string => truncate(name, NAMES_CHARS) : issuerName;
      return `The new certificate was issued by ${of(warning.issuer)}, the current one by ${
        of(warning.before)
      }.`;
    }
  }
}

/** Id of the form that stores the certificates; choices and buttons elsewhere on the page belong to it as well. */
export const STORE = "store";

/** Begins the name of the choice for a certificate; its fingerprint follows, and the value is the id to renew. */
const RENEW = "renew.";
/** The value of the choice not to renew. */
const NOT = "no";

/** Renders the choice of the reason. */
export function ReasonSelect({ value }: { value: string }): Html {
  return (
    <Select
      name="reason"
      label="Reason for the renewal"
      value={value}
      options={REPLACEMENT_REASONS.map((reason) => [reason, wordsOf(reason)])}
      help="Why the certificate is replaced. The history keeps it."
    />
  );
}

/** Reads the choice of the reason. Errors: invalid (`reason`). */
export function reasonOf(form: FormData): (typeof REPLACEMENT_REASONS)[number] {
  const given = textOf(form, "reason");
  const known = REPLACEMENT_REASONS.find((reason) => reason === given);
  if (known !== undefined || given === "") return known ?? "renewal";
  throw invalidField("reason", "expected_one_of", { choices: REPLACEMENT_REASONS, value: quote(given) });
}

/** Returns the certificate that a new one can renew and that the user may renew. */
function offered({ renewable, status }: InspectedCertificate): Existing | undefined {
  return status === "create" && renewable?.permitted === true ? renewable : undefined;
}

/** Returns whether the user chooses for a certificate what it renews. */
export function isRenewable(one: InspectedCertificate): boolean {
  return offered(one) !== undefined;
}

/**
 * Returns whether a certificate renews another one: as chosen, or without a choice if both have the same names and no
 * client would refuse the new one.
 */
export function isRenewing(one: InspectedCertificate, form: FormData): boolean {
  const existing = offered(one);
  if (existing === undefined) return false;
  const chosen = textOf(form, `${RENEW}${one.fingerprint_sha256}`);
  return chosen === "" ? existing.same && !isBreaking(existing) : chosen === String(existing.id);
}

/** Returns whether clients that accept the existing certificate would refuse the new one. */
function isBreaking({ lost, warnings }: Existing): boolean {
  return lost.length > 0 || warnings.some(({ code }) => code === "self_signed" || code === "expired");
}

/**
 * Reads the choices: ids of the certificates to renew, by the fingerprint of the successor. A value that is not an id
 * becomes 0, the id of no certificate, so that the import is refused.
 */
export function renewalsOf(form: FormData): Map<string, number> {
  const names = [...new Set(form.keys())].filter((name) => name.startsWith(RENEW));
  return new Map(names.flatMap((name) => {
    const chosen = textOf(form, name);
    if (chosen === NOT || chosen === "") return [];
    return [[name.slice(RENEW.length), /^\d{1,15}$/.test(chosen) ? Number(chosen) : 0] as const];
  }));
}

/** Renders how the names of an existing certificate relate to the new one, and the choice. */
export function Renewable({ one, given }: { one: InspectedCertificate; given: FormData }): Html | null {
  if (one.renewable === undefined || one.status !== "create") return null;
  const { renewable: existing, fingerprint_sha256: print } = one;
  if (!isRenewable(one)) {
    return (
      <p class="renewable">
        <Relation existing={existing} />
      </p>
    );
  }
  const renewing = isRenewing(one, given);
  const choice = (value: string, checked: boolean, label: Html): Html => (
    <label>
      <input
        type="radio"
        form={STORE}
        name={`${RENEW}${print}`}
        value={value}
        checked={checked}
        data-renews={value === NOT ? undefined : ""}
      />
      {label}
    </label>
  );
  return (
    <fieldset class="renewable">
      <legend>
        <Relation existing={existing} />
      </legend>
      <Warnings existing={existing} />
      {choice(
        String(existing.id),
        renewing,
        <span>
          Renew <bdi>{truncate(existing.common_name)}</bdi> with it
        </span>,
      )}
      {choice(NOT, !renewing, <span>Import it separately</span>)}
    </fieldset>
  );
}

/** Renders what the renewal would lose, as the page that compares both certificates does. */
function Warnings({ existing: { lost, warnings } }: { existing: Existing }): Html | null {
  const notes = [lostNote(lost) ?? [], warningNotes(warnings)].flat();
  if (notes.length === 0) return null;
  return (
    <ul>
      {notes.map(({ tone, text }) => (
        <li class={tone}>
          <Icon name={tone === "warn" ? "warning" : "info"} />
          <bdi>{text}</bdi>
        </li>
      ))}
    </ul>
  );
}

/** Renders the name of the existing certificate, and how many of its names the new one has. */
function Relation({ existing: { id, common_name: name, valid_to, same, names, shared } }: {
  existing: Existing;
}): Html {
  return (
    <>
      {same
        ? "Same names as"
        : shared === names
        ? `Has ${names === 1 ? "the name" : `all ${names} names`} of`
        : `Has ${shared} of ${names} names of`}{" "}
      <a href={objectPath(certificates, id)}>
        <bdi>{truncate(name)}</bdi>
      </a>
      {same || shared < names ? "" : ", and others"} (expires <Day at={formatDatetime(valid_to)} />).
    </>
  );
}

/** Certificates with the same issuers, and these issuers, nearest first. */
export interface ChainGroup {
  readonly heads: readonly InspectedCertificate[];
  readonly issuers: readonly InspectedCertificate[];
}

/** Returns groups with each certificate in at least one of them; an issuer of several groups is in each. */
export function chainGroups(all: readonly InspectedCertificate[]): ChainGroup[] {
  const byPlace = new Map(all.map((one) => [one.place, one]));
  const issuing = new Set(all.map(({ issued_by: issuer }) => issuer));
  const heads = all.filter(({ place }) => !issuing.has(place));
  const reached = new Set(heads.flatMap((head) => [head, ...issuersAbove(head, byPlace)]));
  // Certificates that issue each other in a cycle have no leaf.
  const circular = all.filter((one) => !reached.has(one));
  const groups = Map.groupBy([...heads, ...circular], (head) => {
    const issuers = circular.includes(head) ? [] : issuersAbove(head, byPlace);
    return issuers.length > 0 ? issuers.map(({ place }) => place).join() : `${head.place}`;
  });
  return [...groups.values()].map((own) => {
    const head = first(own);
    return { heads: own, issuers: circular.includes(head) ? [] : issuersAbove(head, byPlace) };
  });
}

function issuersAbove(
  head: InspectedCertificate,
  byPlace: ReadonlyMap<number, InspectedCertificate>,
): InspectedCertificate[] {
  const found = new Set<InspectedCertificate>();
  let next = head.issued_by === null ? undefined : byPlace.get(head.issued_by);
  while (next !== undefined && next !== head && !found.has(next)) {
    found.add(next);
    next = next.issued_by === null ? undefined : byPlace.get(next.issued_by);
  }
  return [...found];
}
