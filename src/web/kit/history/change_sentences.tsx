/** Changes of an object in sentences, such as "Tenant changed from Acme to Globex". */

import { FROM_LIST } from "../../../domain/certificates/mod.ts";
import type { ObjectChange } from "../../../domain/system/object_changes/resource.ts";
import { listText } from "../../../base/amounts.ts";
import { isDictionary } from "../../../filters/mod.ts";
import { changedNames, isSameValue } from "../../../changes/mod.ts";
import type { Resource } from "../../../resource/mod.ts";
import type { Content } from "../components/mod.ts";
import { capitalized, labelOf } from "../../messages.ts";
import { isNothing, recordedValue, type RelatedNames } from "./recorded_value.tsx";

/** Snapshots of an object before and after a change; null before it was created and after it was deleted. */
export type Snapshots = Pick<ObjectChange, "prechange_data" | "postchange_data">;

/** Context for rendering values. */
interface Shown {
  readonly resource: Resource | undefined;
  /** Names of related objects; the ids of others are shown. */
  readonly names: RelatedNames;
}

/** Characters of a value in a sentence. */
const VALUE_CHARS = 60;
/** How the change log records long texts. */
const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** Fields that follow from another one; if that has changed, only it is named. */
const IMPLIED: Readonly<Record<string, readonly string[]>> = {
  replaced_by: ["status"],
  chain_status: ["chain_is_valid", "chain_depth", "chain_validation_message", "chain_validated_at"],
  chain_validation_message: ["chain_is_valid", "chain_depth", "chain_validated_at"],
  state: ["states", "state_message", "last_changed"],
  states: ["state_message", "last_changed"],
  certificate: ["last_changed"],
  pem_content: ["pem_matches", "findings", "fingerprint_sha256"],
};

/** Fields of a certificate that are read from its PEM, in the words of the sentence about them. */
const FROM_PEM: Readonly<Record<string, string>> = {
  common_name: "common name",
  serial_number: "serial number",
  issuer: "issuer",
  valid_from: "start of validity",
  valid_to: "expiry",
  algorithm: "key",
  key_size: "key",
  sans: "names",
};

/** Returns the names of fields that an update changed. */
export function changedFields({ prechange_data: before, postchange_data: after }: Snapshots): string[] {
  return changedNames({ prechange: before, postchange: after });
}

/** Returns a sentence, without a period, for each effect of a change. */
export function changeSentences(change: Snapshots, shown: Shown): Content[] {
  const { prechange_data: before, postchange_data: after } = change;
  if (before === null) {
    const found = after?.discovered_via;
    if (typeof found !== "string" || found === "") return ["Created"];
    return [found === FROM_LIST ? "Created: known from a list" : <>Created: found at {found}</>];
  }
  if (after === null) return ["Deleted"];
  const all = changedFields(change);
  const implied = new Set(all.flatMap((name) => IMPLIED[name] ?? []));
  const read = all.includes("pem_content") ? all.filter((name) => FROM_PEM[name] !== undefined) : [];
  // With another PEM or chain, the result of an earlier validation is dropped.
  const isDropped = isNothing(after.chain_status) &&
    ["pem_content", "issuer_chain"].some((name) => all.includes(name));
  const own = all.filter((name) =>
    !implied.has(name) && !read.includes(name) && !(isDropped && name === "chain_status")
  );
  return [
    ...own.flatMap((name) => sentencesAbout(name, { before: before[name], after: after[name], shown })),
    ...(read.length === 0 ? [] : [readText(read)]),
  ];
}

/** Returns "Expiry and serial number read from the new certificate". */
function readText(names: readonly string[]): string {
  const words = [...new Set(names.flatMap((name) => FROM_PEM[name] ?? []))];
  return `${capitalized(listText(words))} read from the new certificate`;
}

interface Values {
  readonly before: unknown;
  readonly after: unknown;
  readonly shown: Shown;
}

function sentencesAbout(name: string, values: Values): Content[] {
  const { before, after, shown } = values;
  const value = (one: unknown): Content => recordedValue(one, { ...shown, name, most: VALUE_CHARS });
  if (name === "custom_fields") return customSentences(values);
  if (name === "chain_status" || name === "chain_validation_message") {
    return chainSentences(name, values, value);
  }
  if (name === "replaced_by") {
    return isNothing(after)
      ? [<>No longer replaced by {value(before)}</>]
      : [<>Replaced by {value(after)}</>];
  }
  if (name === "owner_told") return ["Owner notified by e-mail"];
  const label = labelOf(name);
  if (isLong(before) || isLong(after)) {
    const verb = isNothing(before) ? "added" : isNothing(after) ? "removed" : "changed";
    return [`${label} ${verb}`];
  }
  if (Array.isArray(before) && Array.isArray(after)) return listSentences(label, { before, after }, value);
  if (typeof after === "boolean") return [`${label} turned ${after ? "on" : "off"}`];
  if (isNothing(before)) return [<>{label} set to {value(after)}</>];
  if (isNothing(after)) return [<>{label} removed, it was {value(before)}</>];
  return [<>{label} changed from {value(before)} to {value(after)}</>];
}

/**
 * Returns sentences about chain validation. If only the message has changed, the result is the same for another reason.
 */
function chainSentences(name: string, { after }: Values, value: (one: unknown) => Content): Content[] {
  if (name === "chain_validation_message") return [`Chain validated: ${after}`];
  return isNothing(after) ? ["Result of chain validation removed"] : [<>Chain validated: {value(after)}</>];
}

function listSentences(
  label: string,
  { before, after }: { before: readonly unknown[]; after: readonly unknown[] },
  value: (one: unknown) => Content,
): Content[] {
  const known = (list: readonly unknown[], one: unknown): boolean =>
    list.some((other) => isSameValue(other, one));
  const added = after.filter((one) => !known(before, one));
  const removed = before.filter((one) => !known(after, one));
  if (added.length === 0 && removed.length === 0) return [`${label} put in another order`];
  return [
    ...(added.length === 0 ? [] : [<>{label} added: {value(added)}</>]),
    ...(removed.length === 0 ? [] : [<>{label} removed: {value(removed)}</>]),
  ];
}

/** Returns sentences about custom fields, which are recorded in one field, by name. */
function customSentences({ before, after, shown }: Values): Content[] {
  const [old, fresh] = [before, after].map((one) => isDictionary(one) ? one : {});
  const names = new Set([...Object.keys(old ?? {}), ...Object.keys(fresh ?? {})]);
  return [...names].filter((name) => JSON.stringify(old?.[name]) !== JSON.stringify(fresh?.[name]))
    .flatMap((name) => sentencesAbout(name, { before: old?.[name], after: fresh?.[name], shown }));
}

/** Returns whether a value is recorded as a digest, or too long for a sentence. */
function isLong(value: unknown): boolean {
  return typeof value === "string" &&
    (DIGEST.test(value) || value.length > 2 * VALUE_CHARS || value.includes("\n"));
}
