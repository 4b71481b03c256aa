/**
 * How a control, a URL and a suggestion write a reference to an object. Its value is the id, `3`, or where objects of
 * several types fit, `(device #3)`. Users see `Acme (#3)` or `web-01 (device #3)`, and can type a name.
 */

import type { Field, Resource } from "../../../resource/mod.ts";
import { articled, nounOf } from "../../type_label.ts";
import { truncate } from "../components/mod.ts";
import { issuerName as fullIssuerName } from "../../../domain/certificates/mod.ts";
import type { FieldErrors } from "../../../base/errors.ts";
import { memoize } from "../../../base/memoize.ts";

/** An object to which a text refers. */
export interface Referred {
  readonly target: Resource;
  /** Empty for an object that the user may not view. */
  readonly id: string;
}

/** Returns the value of an object in a form or URL. */
export function referenceValue(targets: readonly Resource[], { target, id }: Referred): string {
  if (targets.length === 1) return id;
  return id === "" ? hiddenText(target) : numbered(targets, { target, id });
}

/** Returns the text of an object in a field. */
export function referenceText(targets: readonly Resource[], object: Referred & { name: string }): string {
  return `${withoutExpiry(object.name)} ${numbered(targets, object)}`.trim();
}

function numbered(targets: readonly Resource[], { target, id }: Referred): string {
  return targets.length === 1 ? `(#${id})` : `(${nounOf(target)} #${id})`;
}

function hiddenText(target: Resource): string {
  return `${articled(nounOf(target))} that you may not view`;
}

/** Returns the object of a text, and the name that the text gives it; undefined for other texts, such as names. */
export function parseReference(
  targets: readonly Resource[],
  text: string,
): Referred & { name: string } | undefined {
  const given = text.trim();
  const only = targets.length === 1 ? targets[0] : undefined;
  const plain = /^#?(\d{1,15})$/.exec(given)?.[1];
  if (plain !== undefined) return only && { target: only, id: plain, name: "" };
  const ending = /\((?:([a-z][a-z ]*) )?#(\d{1,15})\)$/i.exec(given);
  const [, noun, id = ""] = ending ?? [];
  const target = ending === null
    ? targets.find((one) => one !== only && given === hiddenText(one))
    : noun === undefined
    ? only
    : targets.find((one) => nounOf(one) === noun);
  return target && { target, id, name: given.slice(0, ending?.index ?? 0).trim() };
}

/** A port in the name of a service. */
const SERVICE_PORT = /^https? (.*) \(TCP\/([\d, -]+)\)$/;

/** Returns the short name of an object: `https www.example.org (TCP/443)` is `www.example.org:443`. */
export function shortName(name: string): string {
  const [, host, port] = SERVICE_PORT.exec(name) ?? [];
  return host === undefined ? name : `${host}:${port}`;
}

/** The expiry at the end of the name of a certificate, which distinguishes renewals. */
const EXPIRY = / \(expires: ([^()]*)\)$/;

/** Returns the name of a certificate without its expiry; other names stay. */
export function withoutExpiry(name: string): string {
  return name.replace(EXPIRY, "");
}

/** Returns the expiry in the name of a certificate; undefined for other names. */
export function expiryIn(name: string): string | undefined {
  return EXPIRY.exec(name)?.[1];
}

/** Returns a short name of an issuer: its common name, else its organization, else the beginning of the name. */
export function issuerName(issuer: string): string {
  return truncate(fullIssuerName(issuer), 60);
}

export interface GenericReference {
  /** `assigned_object`. */
  readonly name: string;
  /** `assigned_object_type`. */
  readonly type: Field;
  /** `assigned_object_id`. */
  readonly id: Field;
  readonly targets: readonly Resource[];
  /** The field of a form in place of both. */
  readonly field: Field;
}

/** Returns the generic references of a resource. Cached. */
export const genericsOf = memoize(({ fields }: Resource): readonly GenericReference[] =>
  Object.values(fields).flatMap((field) => {
    const { name, refers: { targets, foreignKey } = {} } = field;
    const type = fields[foreignKey?.typeColumn ?? ""];
    const id = fields[foreignKey?.column ?? ""];
    if (targets === undefined || type === undefined || id?.input === undefined) return [];
    return [{ name, type, id, targets, field: { ...field, required: type.required, input: id.input } }];
  })
);

/** Returns the types of the objects to which a field refers; empty for other fields. */
export function targetsOf({ refers: { target, targets = [] } = {} }: Field): readonly Resource[] {
  return target === undefined ? targets : [target()];
}

/** Moves the errors of type and id, which are often the same, to the only control of a generic reference. */
export function withJoinedErrors(resource: Resource, errors: FieldErrors): FieldErrors {
  const joined: FieldErrors = { ...errors };
  for (const { name, type, id } of genericsOf(resource)) {
    const texts = new Set(
      [type, id].flatMap((one) => Object.hasOwn(errors, one.name) ? errors[one.name] ?? [] : []),
    );
    delete joined[type.name];
    delete joined[id.name];
    if (texts.size > 0) joined[name] = [...texts];
  }
  return joined;
}

/** Returns the values of generic references, which an object and a URL have as type and id. */
export function genericState(
  resource: Resource,
  valuesOf: (generic: GenericReference) => readonly unknown[],
): Record<string, string> {
  return Object.fromEntries(
    genericsOf(resource).flatMap((generic) => {
      const { name, targets } = generic;
      const [type, id] = valuesOf(generic);
      const target = targets.find(({ objectType }) => objectType === type);
      return target === undefined ? [] : [[name, referenceValue(targets, { target, id: String(id ?? "") })]];
    }),
  );
}

/** Returns the texts of the type and the id of a generic reference; a text that is no value is refused as an id. */
export function partsOfTarget({ targets, type, id }: GenericReference, text: string): [Field, string][] {
  const parsed = parseReference(targets, text);
  return parsed?.name === "" ? [[type, parsed.target.objectType], [id, parsed.id]] : [[type, ""], [id, text]];
}
