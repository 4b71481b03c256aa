/** Converts errors to messages for pages. */

import { AppError, type FieldErrors, type PublicError } from "../base/errors.ts";

/**
 * Returns the messages of an error by field; `__all__` is for the whole form. Throws errors that are not an {@link
 * AppError}.
 */
export function fieldErrorsOf(error: unknown): FieldErrors {
  if (!(error instanceof AppError)) throw error;
  const given = error.public;
  if (Array.isArray(given)) return labelledErrors(given.find((one) => Object.keys(one).length > 0) ?? {});
  if (typeof given.detail === "string") return { __all__: [withLabels(given.detail)] };
  return labelledErrors(given as FieldErrors);
}

function labelledErrors(errors: FieldErrors): FieldErrors {
  return Object.fromEntries(
    Object.entries(errors).map(([field, texts]) => [
      field,
      Array.isArray(texts) ? texts.map((text) => withLabels(text)) : texts,
    ]),
  );
}

/** Names of fields as the API writes them, not within quotes, URLs and longer names, nor before their messages. */
const API_NAMES =
  /"(?:[^"\\]|\\.)*"|“[^”]*”|(?<![\w.{/=?&$-])(?!cf_)[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?![\w:-]|\.\w|=)/g;
/** The text before listed values, which are not rewritten because users enter them in this form. */
const CHOICES = "Expected one of ";

/**
 * Rewrites a message of the API for users: `valid_to must not be before valid_from.` becomes `"Valid to" must not be
 * before "Valid from".`, and `Expected at least one …` becomes `Enter at least one …`. Quoted values do not change.
 */
export function withLabels(text: string): string {
  const ofTwo = /^Expected one of (\w+) and (\w+), not both\.$/.exec(text);
  if (ofTwo !== null) {
    const [one, other] = ofTwo.slice(1).map((name) => labelOf(name).toLowerCase());
    return `Choose one ${one} or one ${other}, not both.`;
  }
  if (UNREADABLE.test(text)) return unreadableText(text);
  const end = text.includes(CHOICES) ? text.indexOf(CHOICES) : text.length;
  const named = text.slice(0, end).replace(
    API_NAMES,
    (found) => /^["“]/.test(found) ? found : `"${labelOf(found)}"`,
  );
  return `${named}${text.slice(end)}`.replace(/^Expected at least one /, "Enter at least one ");
}

/** A text of which no certificate or request can be read; the reason follows. */
const UNREADABLE = /^Invalid PEM format or unable to parse certificate( request)?: /;

function unreadableText(text: string): string {
  const reason = text.replace(UNREADABLE, "");
  if (!reason.startsWith("No PEM block")) return reason;
  const kind = UNREADABLE.exec(text)?.[1] ?? "";
  const noun = kind === "" ? "certificate" : "signing request";
  return `No PEM block found. A ${noun} starts with "-----BEGIN CERTIFICATE${kind.toUpperCase()}-----".`;
}

/** Replaces the setting that lists allowed hosts by the person who can change it. */
export function withoutSetting(text: string): string {
  return text.replace(/, or one that CERTMGR_\w+ lists\.$/, ", or ask your administrator to allow this one.");
}

/** Removes the id of an existing object, to which the page has a link. */
export function withoutIds(text: string): string {
  return text.replace(/ \(ID: \d+\)/g, "");
}

/** Returns all messages of an error; messages about a field begin with its name. */
export function messagesOf(given: PublicError): string[] {
  if (Array.isArray(given)) return given.flatMap(messagesOf);
  if (typeof given.detail === "string") return [withLabels(given.detail)];
  return Object.entries(given).flatMap(([field, texts]) =>
    (Array.isArray(texts) ? texts : []).map((given) => {
      const text = withLabels(String(given));
      return field === "__all__" ? text : `${labelOf(field)}: ${text}`;
    })
  );
}

/** Rewrites messages about elements of a list (`Entry 1: Expected …`) for users of a form: `Line 1: Expected …`. */
export function withLines(texts: readonly string[], lines: readonly number[]): string[] {
  return texts.map((text) =>
    text.replace(/^Entry (\d+)(?=[:,])/, (entry, position: string) => {
      const line = lines[Number(position) - 1];
      return line === undefined ? entry : `Line ${line}`;
    })
  );
}

/** Shortens the times of a sentence to their days: "expired on 2026-10-11T23:59:59Z" to "expired on 2026-10-11". */
export function withDays(text: string): string {
  return text.replaceAll(/\b(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(?:\.\d+)?Z\b/g, "$1");
}

/** Abbreviations, which are written in upper case. */
const CAPITALS: Readonly<Record<string, string>> = {
  acme: "ACME",
  ca: "CA",
  csr: "CSR",
  id: "ID",
  ids: "IDs",
  ips: "IPs",
  pem: "PEM",
  sha256: "SHA-256",
  url: "URL",
};

/** Labels of fields whose names are not clear to users. */
const LABELS: Readonly<Record<string, string>> = {
  acme_auto_renewal: "Renewed automatically (ACME)",
  assigned_object: "Assigned to",
  body_template: "Body",
  breaker: "Delivery",
  certificate_detail: "Certificate",
  changed_object_type: "Type",
  email: "E-mail",
  fingerprint_sha256: "SHA-256 fingerprint",
  has_second_factor: "Second factor",
  http_method: "HTTP method",
  interval_minutes: "Interval",
  is_acme: "Issued by ACME",
  is_active: "Active",
  is_approved: "Approved",
  is_primary: "Main certificate",
  is_superuser: "Superuser",
  min_ec_bits: "Minimum bits (elliptic curves)",
  min_bits: "Minimum bits (RSA)",
  issuing_ca: "Authority",
  last_login: "Last sign-in",
  object_repr: "Object",
  object_type: "Type",
  pem_content: "Certificate (PEM)",
  requested_date: "Requested",
  resulting_certificate: "Issued certificate",
  san: "Subject alternative name",
  sans: "Subject alternative names",
  spki_sha256: "Public key SHA-256",
  subject_string: "Subject",
  target_ca: "Authority",
  user_name: "User",
};

/** Returns a field's label: `valid_to` is "Valid to". */
export function labelOf(name: string): string {
  const own = Object.hasOwn(LABELS, name) ? LABELS[name] : undefined;
  if (own !== undefined) return own;
  return capitalized(wordsOf(name));
}

/** Returns the words of a name or choice: `ca_incident` is "CA incident". */
export function wordsOf(name: string): string {
  return name.split("_").filter(Boolean).map((word) => CAPITALS[word] ?? word).join(" ");
}

/** Returns the title of a narrow column with a field. */
export function columnTitleOf(name: string): string {
  return name === "sans" ? "SANs" : labelOf(name);
}

/** Capitalizes the first letter. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
