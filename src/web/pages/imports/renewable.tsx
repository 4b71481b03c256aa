/** The existing certificate that a certificate of the preview can renew, and the choice whether it does. */

import { formatDatetime } from "../../../base/clock.ts";
import type {
  InspectedCertificate,
  InspectedRenewal as Existing,
} from "../../../domain/certificates/import/mod.ts";
import { invalid } from "../../../base/errors.ts";
import { certificates, REPLACEMENT_REASONS } from "../../../domain/certificates/mod.ts";
import { quote } from "../../../resource/mod.ts";
import { Day, type Html, Icon, Select, truncate } from "../../kit/components/mod.ts";
import { textOf } from "../../forms.ts";
import { wordsOf } from "../../messages.ts";
import { objectPath } from "../../paths.ts";
import { lostNote, warningNotes } from "./renewal_warnings.ts";

/** Id of the form that stores the certificates; choices and buttons elsewhere on the page belong to it as well. */
export const STORE = "store";

/** Name of the button that compares both certificates; its value is the fingerprint of the new one. */
export const SUCCESSOR = "successor";

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
  throw invalid({ reason: [`Expected one of ${REPLACEMENT_REASONS.join(", ")}, not ${quote(given)}.`] });
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
  const path = objectPath(certificates, existing.id);
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
      <button
        type="submit"
        form={STORE}
        formaction={`${path}renew/`}
        name={SUCCESSOR}
        value={print}
        class="secondary small"
        aria-label={`Compare with ${truncate(existing.common_name)}`}
      >
        Compare
      </button>
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
