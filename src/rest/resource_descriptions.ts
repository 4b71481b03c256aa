/** Descriptions of resource operations in the API document. */

import { MAX_BULK_OBJECTS } from "../base/limits.ts";
import { describeDependents, type Resource } from "../resource/mod.ts";

export function describeList(resource: Resource): string {
  const { fields, order } = resource;
  const by = order.map(({ field, descending }) => `\`${descending ? "-" : ""}${field}\``).join(", ");
  const long = Object.values(fields).filter((field) => field.long).map(({ name }) => `\`${name}\``);
  return [
    `Objects that the caller may view, ordered by ${by} by default.`,
    `Different filters are combined with AND, the values of a repeated filter with OR${
      "tags" in fields ? " (`tag`: AND)" : ""
    }. \`null\` matches missing values. Unknown parameters are refused.`,
    "`limit` and `offset` page the list; `next` is the URL of the next page. `start` pages by id without counting, and cannot be",
    "combined with `offset` or `ordering`.",
    ...(long.length === 0 ? [] : [
      `To include ${long.join(" and ")}, use \`include_pem\`, or name ${
        long.length === 1 ? "it" : "them"
      } in \`fields\`.`,
    ]),
  ].join(" ");
}

/** Describes how to read one object. */
export function describeGet({ fields }: Resource): string {
  const hidden = "Objects that the caller may not view are not found.";
  return "last_updated" in fields
    ? `${hidden} The response has an \`ETag\`; with it in \`If-None-Match\` the response is 304 until something changes.`
    : hidden;
}

/** Describes how to create one or many objects. */
export function describeCreate(resource: Resource): string {
  if (resource.written?.oneByOne) {
    return `${
      needs(resource, "add")
    } The response has the object and its \`Location\`. A list is refused, as are ` +
      "objects beyond the limit per user. Read-only fields are ignored.";
  }
  return `${
    needs(resource, "add")
  } The body is an object or a list of up to ${MAX_BULK_OBJECTS}; the response ` +
    "has the same form, and for one object a `Location`. All are created or none; an error response to a list has the " +
    "errors of each object, `{}` for a valid one. Unknown and read-only fields are ignored.";
}

/** Describes how to change one object. */
export function describeChange(resource: Resource, method: "PUT" | "PATCH"): string {
  const given = method === "PUT"
    ? "All required fields must be given; other missing fields do not change."
    : "Missing fields do not change.";
  return `${needs(resource, "change")} ${given} ${onlyIfMatched("changed")}`;
}

/** Describes how to change many objects. */
export function describeChangeMany(resource: Resource, method: "PUT" | "PATCH"): string {
  const given = method === "PUT" ? " and all required fields" : " and the fields to change";
  return `${
    needs(resource, "change")
  } Up to ${MAX_BULK_OBJECTS} objects, each with its \`id\`${given}. All are changed or ` +
    "none; an error response has a list with the errors of each object, `{}` for a valid one.";
}

/** Describes how to delete one object. */
export function describeDelete(resource: Resource): string {
  return [needs(resource, "delete"), describeDependents(resource), onlyIfMatched("deleted")].filter(Boolean)
    .join(" ");
}

/** Describes how to delete many objects. */
export function describeDeleteMany(resource: Resource): string {
  const which =
    `Up to ${MAX_BULK_OBJECTS} objects, each with its \`id\`. All are deleted or none: the request is ` +
    "refused if one does not exist or other objects require it.";
  return [needs(resource, "delete"), which, describeDependents(resource)].filter(Boolean).join(" ");
}

function needs({ written: { action: writeAction } = {} }: Resource, action: string): string {
  return `Needs \`${action}\`${writeAction === undefined ? "" : ` or \`${writeAction}\``}.`;
}

function onlyIfMatched(done: string): string {
  return `With an \`ETag\` in \`If-Match\` the object is ${done} only if it still has this version.`;
}
