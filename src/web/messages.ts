/** Converts errors to messages for pages. */

import { AppError, type FieldErrors } from "../base/errors.ts";
import { ALL_FIELDS, type Finding, finding, textOf, textsByField } from "../base/findings.ts";
import type { Wording } from "../messages/mod.ts";

/** The words of pages: labels of fields, and sentences about what users see. */
const PAGES: Wording = {
  name: (field) => `"${labelOf(field)}"`,
  sentences: {
    expected_some: "Enter at least one {thing}.",
    no_certificate_pem: 'No PEM block found. A certificate starts with "-----BEGIN CERTIFICATE-----".',
    no_request_pem:
      'No PEM block found. A signing request starts with "-----BEGIN CERTIFICATE REQUEST-----".',
    one_host: "Choose one device or one virtual machine, not both.",
    pem_unreadable: "{reason}[ (block {block}, line {line})].",
  },
};

/** The words of pages for users who cannot see the settings. */
const WITHOUT_SETTINGS: Wording = {
  ...PAGES,
  sentences: {
    ...PAGES.sentences,
    host_refused: "{host} is {kind}. Use a public host, or ask your administrator to allow this one.",
  },
};

/** Returns the findings of an error, or of the first invalid object. Throws errors that are not an {@link AppError}. */
export function findingsOf(error: unknown): readonly Finding[] {
  if (!(error instanceof AppError)) throw error;
  const found = error.findings.find(({ length }) => length > 0);
  return found ?? [finding("text", { text: String("detail" in error.public ? error.public.detail : "") })];
}

/** Returns the messages of findings by field; `__all__` is for the whole form. */
export function messagesByField(findings: readonly Finding[], actor = { isSuperuser: true }): FieldErrors {
  return textsByField(findings, actor.isSuperuser ? PAGES : WITHOUT_SETTINGS);
}

/** Returns the sentence of a finding. */
export function sentenceOf(one: Finding): string {
  return textOf(one, PAGES);
}

/** Returns the messages of an error by field. Throws errors that are not an {@link AppError}. */
export function fieldErrorsOf(error: unknown): FieldErrors {
  return messagesByField(findingsOf(error));
}

/** Returns all messages of an error; messages about a field begin with its name. */
export function messagesOf(error: AppError): string[] {
  const all = error.findings.length === 0 ? findingsOf(error) : error.findings.flat();
  return all.map((one) => {
    const text = sentenceOf(one);
    return one.field === undefined || one.field === ALL_FIELDS ? text : `${labelOf(one.field)}: ${text}`;
  });
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
  est: "EST",
  id: "ID",
  ids: "IDs",
  ips: "IPs",
  pem: "PEM",
  scep: "SCEP",
  sha256: "SHA-256",
  url: "URL",
};

/** Labels of fields whose names are not clear to users. */
const LABELS: Readonly<Record<string, string>> = {
  access_tenant: "Tenant",
  assigned_object: "Assigned to",
  breaker: "Delivery",
  certificate_detail: "Certificate",
  changed_object_type: "Type",
  valid_from__gte: "Valid from this day on",
  valid_from__lt: "Valid from before",
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
