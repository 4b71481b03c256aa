/**
 * Reads the details of objects in notices that the user may view: objects, hosts, owners, notes of
 * authorities.
 */

import { type Context, visible } from "../../auth/mod.ts";
import { matchesNothing, MAX_FILTER_VALUES, parseFiltersObject } from "../../filters/mod.ts";
import { type Brief, type Identity, listObjects, type Resource, type Values } from "../../resource/mod.ts";
import { isMailAddress } from "../../base/mail_address.ts";
import { assignments } from "../assignments/mod.ts";
import { authorities } from "../authorities/mod.ts";
import { certificates } from "../certificates/mod.ts";
import { contactAssignments } from "../contact_assignments/mod.ts";

/** Maximum number of objects in a line of a message ("assigned to lb-1, lb-2"). */
export const MAX_NAMED_TARGETS = 5;

/** An object in an object of a notice. */
type Named = Pick<Brief, "display"> & Partial<Pick<Brief, "id">>;

/** An object as the API shows it, with those in it that notices name. */
export type NoticeObject =
  & Readonly<Values>
  & {
    readonly id: number;
    readonly owner?: { readonly contact: Named & { readonly email?: unknown } } | null;
  }
  & {
    readonly [
      Name in "issuing_ca" | "replaced_by" | "tenant" | "certificate" | "policy" | "assigned_object"
    ]?: Named | null;
  };

/**
 * Reads fields of objects that the actor may view, by id. There may be at most as many as a filter may have
 * values. One statement.
 */
export async function readNoticeObjects<Of extends Identity = NoticeObject & Brief>(
  ctx: Context,
  { resource, fields }: { readonly resource: Resource<Of>; readonly fields: readonly string[] },
  ids: readonly number[],
): Promise<Map<number, Of>> {
  if (ids.length === 0 || matchesNothing(visible(ctx, resource.map))) return new Map();
  requireFew(ids);
  const known = fields.filter((name) => name in resource.fields);
  const { results } = await listObjects({
    ctx,
    resource,
    query: {
      filter: parseFiltersObject({ id: ids }, resource.map).condition,
      order: [{ field: "id", descending: false }],
      start: 1,
      offset: 0,
      limit: ids.length,
      selection: { brief: false, omit: [], long: false, fields: known },
    },
  });
  return new Map(results.map((object) => [object.id, object]));
}

/** Throws for too many ids, because a filter with too many values would be refused and select nothing. */
function requireFew(ids: readonly number[]): void {
  if (ids.length > MAX_FILTER_VALUES) throw new Error(`${ids.length} objects are read at once`);
}

/**
 * Returns the names of the objects to which certificates are assigned, if the actor may view them. One
 * statement.
 */
export async function assignedObjectsOf(
  ctx: Context,
  ids: readonly number[],
): Promise<Map<number, string[]>> {
  const targets = new Map<number, string[]>();
  if (ids.length === 0 || matchesNothing(visible(ctx, assignments.map))) return targets;
  const { results } = await listObjects({
    ctx,
    resource: assignments,
    query: {
      filter: parseFiltersObject({ certificate_id: ids }, assignments.map).condition,
      order: [{ field: "id", descending: false }],
      start: 1,
      offset: 0,
      limit: ids.length * (MAX_NAMED_TARGETS + 1),
      selection: { brief: false, omit: [], long: false, fields: ["certificate", "assigned_object"] },
    },
  });
  for (const { certificate, assigned_object: target } of results) {
    if (target === null || certificate === null) continue;
    const known = targets.get(certificate) ?? [];
    targets.set(certificate, [...known, target.display]);
  }
  return targets;
}

/** Returns the renewal notes of authorities, for certificates without their own. One statement. */
export async function authorityNotes(
  ctx: Context,
  objects: readonly NoticeObject[],
): Promise<Map<number, string>> {
  const ids = objects.flatMap((object) => object.renewal_note ? [] : caOf(object) ?? []);
  if (ids.length === 0) return new Map();
  const subject = { resource: authorities, fields: ["id", "renewal_note"] };
  const found = await readNoticeObjects(ctx, subject, [...new Set(ids)]);
  return new Map([...found].map(([id, { renewal_note }]) => [id, String(renewal_note)]));
}

/** Returns the id of a certificate's authority. */
export function caOf({ issuing_ca }: NoticeObject): number | undefined {
  return issuing_ca?.id;
}

/** Returns the e-mail addresses of the certificates' own contacts that the actor may view. One statement. */
export async function ownersOf(ctx: Context, ids: readonly number[]): Promise<Map<number, string[]>> {
  const owners = new Map<number, string[]>();
  if (ids.length === 0 || matchesNothing(visible(ctx, contactAssignments.map))) return owners;
  const { results } = await listObjects({
    ctx,
    resource: contactAssignments,
    query: {
      filter: parseFiltersObject(
        { object_type: certificates.objectType, object_id: ids },
        contactAssignments.map,
      ).condition,
      order: [{ field: "id", descending: false }],
      start: 1,
      offset: 0,
      limit: ids.length * MAX_NAMED_TARGETS,
      selection: { brief: false, omit: [], long: false, fields: ["object_id", "contact", "priority"] },
    },
  });
  for (const { object_id, contact, priority } of results) {
    const email = String(contact?.email ?? "");
    if (object_id === null || !isMailAddress(email) || priority?.value === "inactive") continue;
    owners.set(object_id, [...owners.get(object_id) ?? [], email]);
  }
  return owners;
}

/** Returns the address of the effective owner, for a certificate without its own contacts. */
export function ownerOf({ owner }: NoticeObject): string[] {
  const email = String(owner?.contact.email ?? "");
  return isMailAddress(email) ? [email] : [];
}
