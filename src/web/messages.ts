/** What a refusal says, in sentences and by field. */

import { AppError, type FieldErrors, type PublicError } from "../base/errors.ts";

/** The messages of a refusal by field; a sentence about the whole is under `__all__`. Throws what is no refusal. */
export function fieldErrorsOf(error: unknown): FieldErrors {
  if (!(error instanceof AppError)) throw error;
  const given = error.public;
  if (Array.isArray(given)) return given.find((one) => Object.keys(one).length > 0) ?? {};
  if (typeof given.detail === "string") return { __all__: [given.detail] };
  return given as FieldErrors;
}

/** All that a refusal says, a sentence each; those about a field name it. */
export function messagesOf(given: PublicError): string[] {
  if (Array.isArray(given)) return given.flatMap(messagesOf);
  if (typeof given.detail === "string") return [given.detail];
  return Object.entries(given).flatMap(([field, texts]) =>
    (Array.isArray(texts) ? texts : []).map((text) =>
      field === "__all__" ? String(text) : `${labelOf(field)}: ${text}`
    )
  );
}

/** Messages about parts of a list, which count from 0 (`0: Expected …`), in words: `Line 1: Expected …`. */
export function withPositions(texts: readonly string[], placeOf: (index: number) => string): string[] {
  return texts.map((text) =>
    text.replace(
      /^(\d+)(?:\.([\w.]+))?: /,
      (_, index: string, part?: string) =>
        `${placeOf(Number(index))}${part === undefined ? "" : `, ${part}`}: `,
    )
  );
}

/** `Entry 1`: for lists whose parts are not on separate lines. */
export function entryPosition(index: number): string {
  return `Entry ${index + 1}`;
}

/** Words that are written in capitals. */
const CAPITALS: Readonly<Record<string, string>> = {
  acme: "ACME",
  ca: "CA",
  csr: "CSR",
  id: "ID",
  ids: "IDs",
  ips: "IPs",
  pem: "PEM",
  san: "SAN",
  sans: "SANs",
  sha256: "SHA-256",
  url: "URL",
};

/** A field's name for people: `issuing_ca` is "Issuing CA". */
export function labelOf(name: string): string {
  const words = name.split("_").filter(Boolean).map((word) => CAPITALS[word] ?? word);
  return capitalized(words.join(" "));
}

/** A text with a capital at its beginning. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
