/** Parses request bodies, limits the texts of a request, and reports all errors of all fields. */

import { AppError, invalid } from "../../base/errors.ts";
import { addFinding, ALL_FIELDS, concerns, type Finding, finding, ofIssues } from "../../base/findings.ts";
import { MAX_WRITTEN_CHARS, USUAL_NAME_CHARS } from "../../base/limits.ts";
import { atOnce, inSlices, pacer } from "../../base/pace.ts";
import { isDictionary } from "../../filters/mod.ts";
import { MIN_KEY_CHARS, searchingKey } from "../../x509/mod.ts";
import type { ParsedBody, Resource } from "../model/definition.ts";
import type { Values } from "../model/field.ts";
import { fieldLists } from "../model/field_lists.ts";
import { quote, unknownField } from "../model/fields/messages.ts";
import { textSchema } from "../model/fields/text.ts";

/** `create` and `replace` require all required fields. `create` also applies defaults. */
type Mode = "create" | "replace" | "patch";

/**
 * Parses an object. Ignores unknown and read-only fields. Applies the defaults of missing fields on create.
 */
export function parseObject(resource: Resource, body: unknown, mode: Mode): ParsedBody {
  const errors: Finding[] = [];
  if (isDictionary(body)) refusePrivateKeys(body, errors);
  return parseGuarded(resource, body, { mode, errors });
}

/**
 * Parses several objects, with pauses, because searching a megabyte for private keys takes some time. Errors:
 * too_large.
 */
export async function parseObjects(
  resource: Resource,
  bodies: readonly unknown[],
  mode: Mode,
): Promise<ParsedBody[]> {
  limitLongTexts(resource, bodies);
  const pause = pacer();
  const parsed: ParsedBody[] = [];
  for (const body of bodies) {
    await pause();
    const errors: Finding[] = [];
    if (isDictionary(body)) await inSlices(refusingPrivateKeys(body, errors), pause);
    parsed.push(parseGuarded(resource, body, { mode, errors }));
  }
  return parsed;
}

/**
 * Parses an object that was already searched for private keys.
 * @param errors Errors from that search, by field; more are added.
 */
export function parseGuarded(
  resource: Resource,
  body: unknown,
  { mode, errors }: { mode: Mode; errors: Finding[] },
): ParsedBody {
  const input: Values = {};
  if (!isDictionary(body)) {
    const one = body === undefined
      ? finding("empty_body")
      : finding("unexpected", { expected: "an object", value: quote(body) });
    addFinding(errors, ALL_FIELDS, one);
    return { input, errors, reveal: {} };
  }
  for (const field of fieldLists(resource).writable) {
    if (concerns(errors, field.name)) continue;
    if (!Object.hasOwn(body, field.name)) {
      if (field.required && mode !== "patch") addFinding(errors, field.name, finding("required"));
      else if (mode === "create" && field.fallback !== undefined) input[field.name] = field.fallback;
      continue;
    }
    // Null is what a caller has read of a hidden object; `resolve.ts` keeps that, and refuses null otherwise.
    const isNull = body[field.name] === null && field.refers?.target !== undefined && !field.many;
    if (isNull && mode !== "create") {
      input[field.name] = null;
      continue;
    }
    const result = field.input.safeParse(body[field.name]);
    if (result.success) input[field.name] = result.data;
    else errors.push(...ofIssues(result.error, field.name));
  }
  refuseUnsupported(resource, body, errors);
  if (resource.written?.knownOnly) refuseUnknownFields(resource, body, errors);
  return { input, errors, reveal: {}, ...messageOf(body, errors) };
}

function refuseUnsupported(
  { written: { unsupported = {} } = {} }: Resource,
  body: Values,
  errors: Finding[],
): void {
  for (const [name, meaning] of Object.entries(unsupported)) {
    const value = Object.hasOwn(body, name) ? body[name] : null;
    if (isEmpty(value) || concerns(errors, name)) continue;
    addFinding(errors, name, finding("unsupported", { meaning, value: quote(value) }));
  }
}

function isEmpty(value: unknown): boolean {
  return value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);
}

/** Members of every object that the API returns. Clients send them back, and they are ignored. */
const SHOWN_ONLY = ["id", "url", "display_url", "display"];
/** Maximum length of an unknown name that a message quotes. */
const MAX_NAME_CHARS = 100;

function refuseUnknownFields(resource: Resource, body: Values, errors: Finding[]): void {
  const known = [...Object.keys(resource.fields), ...SHOWN_ONLY, CHANGELOG_MESSAGE];
  for (const name of Object.keys(body)) {
    if (known.includes(name) || concerns(errors, name)) continue;
    // A name may also contain a private key, and must then not be repeated.
    const repeatable = name.length <= MAX_NAME_CHARS && !mayHoldKey(name);
    addFinding(errors, repeatable ? name : ALL_FIELDS, unknownField(name, known));
  }
}

/** The caller's comment on a change (`changelog_message`), which NetBox accepts in the bodies of writes. */
export const CHANGELOG_MESSAGE = "changelog_message";

/** Maximum length of a message, as in NetBox. */
const MAX_MESSAGE_CHARS = 200;

/** The schema of a message. */
export const messageSchema = textSchema({ max: MAX_MESSAGE_CHARS, blank: true });

/** Returns the message in a body; `{}` if there is none. Adds findings to `errors`. */
function messageOf(body: Values, errors: Finding[]): { message?: string } {
  if (!Object.hasOwn(body, CHANGELOG_MESSAGE) || concerns(errors, CHANGELOG_MESSAGE)) return {};
  const parsed = messageSchema.safeParse(body[CHANGELOG_MESSAGE]);
  if (parsed.success) return { message: parsed.data };
  errors.push(...ofIssues(parsed.error, CHANGELOG_MESSAGE));
  return {};
}

/** Returns the message in the body of a deletion, of which nothing else is read. Errors: invalid. */
export function deletionMessage(body: unknown): { message?: string } {
  if (!isDictionary(body)) return {};
  const errors: Finding[] = [];
  refusePrivateKeys(body, errors);
  const message = messageOf(body, errors);
  if (errors.length > 0) throw invalid(errors);
  return message;
}

/** Refuses private keys in any field, known or not. */
export function refusePrivateKeys(body: Values, errors: Finding[]): void {
  atOnce(refusingPrivateKeys(body, errors));
}

/** Works like {@link refusePrivateKeys}, but in slices. */
export function* refusingPrivateKeys(
  body: Values,
  errors: Finding[],
): Generator<void, void> {
  for (const [name, value] of Object.entries(body)) {
    if (mayHoldKey(value) && (yield* anyTextHoldsKey(value))) {
      addFinding(errors, name, finding("private_key"));
    }
  }
}

/**
 * Returns whether any text in a value, including names of nested members, contains a private key. Uses its
 * own stack, because documents in a text may be nested deeper than calls can be.
 */
function* anyTextHoldsKey(root: unknown): Generator<void, boolean> {
  const pending = [root];
  for (let searched = 0; pending.length > 0; searched++) {
    if (searched % ITEMS_PER_STEP === ITEMS_PER_STEP - 1) yield;
    const value = pending.pop();
    if (typeof value === "string") {
      if (yield* searchingKey(value)) return true;
    } else if (typeof value === "object" && value !== null) {
      if (!Array.isArray(value)) {
        for (const name of Object.keys(value)) if (mayHoldKey(name)) pending.push(name);
        pending.push(privateMembers(value));
      } else if (typeof value[0] === "number") pending.push(value.join());
      // Forms send the lines of a text as a list.
      else if (typeof value[0] === "string") pending.push(value.map(edgesOf).join("\n"));
      for (const item of Array.isArray(value) ? value : Object.values(value)) {
        if (mayHoldKey(item)) pending.push(item);
      }
    }
  }
  return false;
}

/** Characters at both ends of a text that are searched together with the texts before and after it. */
const EDGE_CHARS = 4 * 1024;

/** Returns the ends of a long text: what is between them is searched in the text itself. */
function edgesOf(text: unknown): unknown {
  return typeof text === "string" && text.length > 2 * EDGE_CHARS
    ? `${text.slice(0, EDGE_CHARS)}\n${text.slice(-EDGE_CHARS)}`
    : text;
}

/** Returns an object with its names as text, if one may be that of a number of a private key, as in a JWK. */
function privateMembers(value: object): string {
  if (!Object.keys(value).some((name) => /^(?:d|dp|dq|inverseq|priv.*|prime.*)$/i.test(name))) return "";
  const texts = Object.entries(value).map(([name, text]) => [name, String(text).slice(0, 80)]);
  return JSON.stringify(Object.fromEntries(texts));
}

/** Number of elements that are searched between two pauses: about a millisecond. */
const ITEMS_PER_STEP = 100;

function mayHoldKey(value: unknown): boolean {
  return typeof value === "string"
    ? value.length >= MIN_KEY_CHARS
    : typeof value === "object" && value !== null;
}

/**
 * Refuses objects whose names and notes are too large together: bodies before they are parsed, and rows
 * before they are stored, because a PEM text fills some of them. Errors: too_large.
 */
export function limitLongTexts({ fields }: Resource, objects: readonly unknown[]): void {
  const names = Object.values(fields).filter((field) => field.size?.large).map(({ name }) => name);
  let chars = 0;
  for (const object of objects) {
    if (!isDictionary(object)) continue;
    const own = names.reduce((sum, name) => sum + charsOf(object[name]), 0);
    chars += Math.max(0, own - USUAL_NAME_CHARS);
  }
  if (chars <= MAX_WRITTEN_CHARS) return;
  throw new AppError(
    "too_large",
    `The texts (${names.join(", ")}) of these objects have ${chars} characters together, besides the first ` +
      `${USUAL_NAME_CHARS} of each object; one request may write at most ${MAX_WRITTEN_CHARS}. Send fewer objects in ` +
      "one request.",
  );
}

function charsOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + charsOf(one), 0);
  return typeof value === "string" ? value.length : 0;
}
