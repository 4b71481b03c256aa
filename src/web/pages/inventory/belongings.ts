/** The certificates of a tenant, an owner, an authority, a tag, or an object to which they are assigned. */

import { authorities } from "../../../domain/authorities/mod.ts";
import { certificates, type CountedBy, expiryOf, type OwnExpiry } from "../../../domain/certificates/mod.ts";
import { contacts } from "../../../domain/contacts/mod.ts";
import { devices, services, tags, tenants, virtualMachines } from "../../../domain/inventory/mod.ts";
import type { Condition } from "../../../filters/mod.ts";
import { type Out, parseListQuery } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { usedParams } from "../certificates/mod.ts";
import { type Params, searchOf } from "../../kit/mod.ts";

/** A type of objects to which certificates belong. */
export interface ObjectKind {
  /** The name of the type for counting certificates by object. */
  readonly by: CountedBy;
  readonly filter: (object: Out) => Params;
  /** Columns after name and expiry. */
  readonly columns: readonly string[];
  /** The certificates of its services, if it can have some. */
  readonly through?: Pick<ObjectKind, "by" | "filter">;
  /** Whether certificates belong to it by assignments. */
  readonly assigned?: true;
}

export const BELONGINGS: ReadonlyMap<string, ObjectKind> = new Map([
  [tenants.objectType, {
    by: "tenant",
    filter: ({ id }) => ({ tenant_id: id }),
    columns: ["assigned_to", "owner", "status"],
  }],
  [contacts.objectType, {
    by: "owner",
    filter: ({ id }) => ({ owner: id }),
    columns: ["assigned_to", "tenant", "status"],
  }],
  [authorities.objectType, {
    by: "issuing_ca",
    filter: ({ id }) => ({ issuing_ca_id: id }),
    columns: ["assigned_to", "tenant", "status"],
  }],
  [tags.objectType, {
    by: "tag",
    filter: ({ slug }) => ({ tag: String(slug) }),
    columns: ["assigned_to", "tenant", "status"],
  }],
  [services.objectType, assignedTo("service")],
  ...([[devices, "device"], [virtualMachines, "virtual_machine"]] as const)
    .map(([{ objectType }, by]): [string, ObjectKind] => [objectType, {
      ...assignedTo(by),
      through: { by: `services_of_${by}`, filter: ({ id }) => ({ [`service__${by}_id`]: id }) },
    }]),
]);

/** Returns the kind of objects to which certificates are assigned. */
function assignedTo(by: "device" | "virtual_machine" | "service"): ObjectKind {
  return {
    assigned: true,
    by,
    filter: ({ id }) => ({ [`${by}_id`]: id }),
    columns: ["owner", "tenant", "status"],
  };
}

/** Returns the path of the list of certificates in use that match a filter. */
export function certificatesPath(filter: Params): string {
  return `/certificates/?${searchOf(filter)}`;
}

/** Returns the condition of the list with these parameters: certificates in use, unless they have a status. */
export function listFilter({ ctx }: Call, params: Params): Condition {
  const search = searchOf("status" in params ? params : usedParams(params));
  return parseListQuery(ctx, { resource: certificates, params: search }).filter;
}

/** Selects certificates that clients reject because one of their issuers has expired. */
export const EXPIRED_ISSUER: Params = { chain_status: "expired", expired: "false" };

/** Returns when the certificate of an authority expires; undefined if that is not known. */
export function ownExpiry({ ctx }: Call, { valid_to }: Out): OwnExpiry | undefined {
  return typeof valid_to === "string" ? expiryOf(ctx, valid_to) : undefined;
}
