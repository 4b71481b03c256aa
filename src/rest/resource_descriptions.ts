/** What the API document says of the operations that every resource has. */

import { MAX_BULK_OBJECTS } from "../base/limits.ts";
import { describeDependents, type Resource } from "../resource/mod.ts";

/** Of a list. */
export function describeList(resource: Resource): string {
  const { fields, order } = resource;
  const by = order.map(({ field, descending }) => `\`${descending ? "-" : ""}${field}\``).join(", ");
  const long = Object.values(fields).filter((field) => field.long).map(({ name }) => `\`${name}\``);
  return [
    `What the caller may view, ordered by ${by} unless \`ordering\` says otherwise.`,
    `Different filters are AND, a repeated one is OR${
      "tags" in fields ? " (`tag`: AND)" : ""
    }, \`null\` finds what has no value;`,
    "an unknown parameter is refused.",
    "`limit` and `offset` page the list, and `next` leads on; `start` pages by id without counting, and goes with",
    "neither `offset` nor `ordering`.",
    ...(long.length === 0
      ? []
      : [`${long.join(" and ")} come with \`include_pem\` or when \`fields\` names them.`]),
  ].join(" ");
}

/** Of the reading of one object. */
export function describeGet({ fields }: Resource): string {
  const hidden = "What the caller may not view is not found.";
  return "last_updated" in fields
    ? `${hidden} The answer has an \`ETag\`; with it in \`If-None-Match\` the answer is 304 until something changes.`
    : hidden;
}

/** Of the creation of one object or many. */
export function describeCreate(resource: Resource): string {
  if (resource.createsOne) {
    return `${
      needs(resource, "add")
    } Answered by the object, with its \`Location\`. Created one at a time: a list is ` +
      "refused, and so is one more than a user may have. Read-only fields are ignored.";
  }
  return `${
    needs(resource, "add")
  } An object is answered by the object, with its \`Location\`; a list of up to ` +
    `${MAX_BULK_OBJECTS} by the list: all of them are created or none, and a refusal has the errors of each in its ` +
    "place, `{}` for a good one. Unknown and read-only fields are ignored.";
}

/** Of a change of one object. */
export function describeChange(resource: Resource, method: "PUT" | "PATCH"): string {
  const given = method === "PUT"
    ? "All required fields have to be given; others that are left out stay as they are."
    : "What is left out stays as it is.";
  return `${needs(resource, "change")} ${given} ${onlyIfMatched("changed")}`;
}

/** Of changes of many. */
export function describeChangeMany(resource: Resource, method: "PUT" | "PATCH"): string {
  const given = method === "PUT" ? " and all required fields" : " and what is to change";
  return `${
    needs(resource, "change")
  } Each of up to ${MAX_BULK_OBJECTS} has its \`id\`${given}. All are changed or ` +
    "none; a refusal has the errors of each in its place, `{}` for a good one.";
}

/** Of a deletion. */
export function describeDelete(resource: Resource): string {
  return [needs(resource, "delete"), describeDependents(resource), onlyIfMatched("deleted")].filter(Boolean)
    .join(" ");
}

/** Of deletions of many. */
export function describeDeleteMany(resource: Resource): string {
  const which =
    `Each of up to ${MAX_BULK_OBJECTS} is an object with its \`id\`. All are deleted or none: one that does ` +
    "not exist or that other objects need refuses it.";
  return [needs(resource, "delete"), which, describeDependents(resource)].filter(Boolean).join(" ");
}

function needs({ writeAction }: Resource, action: string): string {
  return `Needs \`${action}\`${writeAction === undefined ? "" : ` or \`${writeAction}\``}.`;
}

function onlyIfMatched(done: string): string {
  return `With an \`ETag\` in \`If-Match\` it is ${done} only if it is still that version.`;
}
