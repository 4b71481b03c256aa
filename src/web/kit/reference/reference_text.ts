/**
 * How a control, a URL and a suggestion write a reference to an object. Its value is the id, `3`, or where objects of
 * several types fit, `(device #3)`. Users see `Acme (#3)` or `web-01 (device #3)`, and can type a name.
 */

import type { Resource } from "../../../resource/mod.ts";
import { articled, nounOf } from "../../type_label.ts";
import { withoutExpiry } from "./short_name.ts";

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
