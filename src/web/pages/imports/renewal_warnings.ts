/** Warnings about a renewal in words. */

import { counted } from "../../../base/amounts.ts";
import type { RenewalWarning } from "../../../domain/certificates/mod.ts";
import { truncate } from "../../kit/components/mod.ts";
import { issuerName } from "../../kit/mod.ts";

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
    case "same_key":
      return "Same key reused: the new certificate has the key pair of the current one.";
    case "shorter_life":
      return `The new certificate is valid for ${warning.to} days, the current one for ${warning.from} days.`;
    case "other_issuer":
      return `The new certificate was issued by ${issuerName(warning.issuer)}, the current one by ${
        issuerName(warning.before)
      }.`;
  }
}
