/**
 * Filters by related rows: whether any exist, the assignments, and the incidents that the caller may view. Certificates that
 * nobody has entered completely: found ones, and those that are known from a list.
 */

import { type SQL, sql } from "drizzle-orm";
import { where } from "../../db/mod.ts";
import {
  columnOf,
  type FilterField,
  type PredicateContext,
  type ViewRestriction,
} from "../../filters/mod.ts";
import type { Finding } from "../../base/findings.ts";
import { quote, type Resource } from "../../resource/mod.ts";
import { isFollowed } from "../contacts/mod.ts";
import { devices, services, virtualMachines } from "../inventory/mod.ts";
import type { CertificateDraft } from "./resource.ts";

/** The type of incidents, which cannot be imported here because they refer to certificates. */
const INCIDENT = "certmgr.incident";

/** How far the replacement of a certificate in an incident is. */
export const MEMBER_STATES = ["open", "replaced", "deployed", "excluded"] as const;

export const incidentFilters: Readonly<Record<string, FilterField>> = {
  incident: memberFilter("Belongs to the incident with this id"),
  ...Object.fromEntries(MEMBER_STATES.map((state) => [
    `incident_${state}`,
    memberFilter(`Belongs to the incident with this id, and is ${state} there`, state),
  ])),
};

function memberFilter(description: string, state?: string): FilterField {
  return {
    kind: "predicate",
    type: "integer",
    description,
    condition: (id, { alias, shown }) => {
      const incident = `${alias}_incident`;
      return sql`${columnOf(alias, "id")} IN (SELECT certificate_id FROM incident_certificates${
        where(
          sql`incident_id = (SELECT id FROM incidents AS ${sql.identifier(incident)}${
            where(sql`${columnOf(incident, "id")} = ${id}`, shown(INCIDENT, incident))
          })`,
          state === undefined ? undefined : sql`state = ${state}`,
        )
      })`;
    },
  };
}

/** The type of authorities, which cannot be imported here because they refer to certificates. */
const AUTHORITY = "certmgr.certificateauthority";

/** Filters by the recorded authority of a certificate. */
export const authorityFilters: Readonly<Record<string, FilterField>> = {
  has_approved_authority: presence(
    ({ alias, shown }) =>
      // No authority is none that is approved.
      sql`coalesce(${columnOf(alias, "issuing_ca_id")}, 0) IN (
        SELECT authority.id FROM certificate_authorities AS authority${
        where(sql`authority.is_approved = 1`, shown(AUTHORITY, "authority"))
      })`,
    { description: "Has a recorded authority, which is approved" },
  ),
};

/** `has_assignments`; `device`, `virtual_machine` and `service`, each with `_id` and with fields (`device__tenant`). */
export const assignmentFilters: Readonly<Record<string, FilterField>> = {
  has_assignments: presence(({ alias, shown }) => assignedSql(alias, shown)),
  device: assignedTo(devices),
  virtual_machine: assignedTo(virtualMachines),
  service: assignedTo(services),
};

/** Returns the condition that a certificate has an assignment. */
export function assignedSql(alias: string, shown: ViewRestriction): SQL {
  const assignment = `${alias}_assignment`;
  const own = sql`${columnOf(assignment, "certificate_id")} = ${columnOf(alias, "id")}`;
  return existing(sql`certificate_assignments`, assignment, own, shown(ASSIGNMENT, assignment));
}

/** Returns the filter by the objects of a type that a certificate is assigned to. */
function assignedTo(target: Resource): FilterField {
  const assignment = "assigned";
  return {
    kind: "many",
    target: () => target.map,
    keys: ["name"],
    anyOf: true,
    ids: (targets, shown) => {
      // Without `shown`, this is a constraint.
      const seen = shown === undefined ? isFollowed(assignment) : shown(ASSIGNMENT, assignment);
      // INDEXED BY, because with few assignments SQLite would otherwise scan all of them for each object.
      return sql`SELECT ${columnOf(assignment, "certificate_id")} FROM certificate_assignments AS ${
        sql.identifier(assignment)
      } INDEXED BY certificate_assignments_target WHERE ${
        columnOf(assignment, "assigned_object_type")
      } = ${target.objectType} AND ${columnOf(assignment, "assigned_object_id")} IN (${targets})${
        seen === undefined ? sql`` : sql` AND ${seen}`
      }`;
    },
  };
}

/** The type of assignments, which cannot be imported here because they refer to certificates. */
export const ASSIGNMENT = "certmgr.certificateassignment";

/** Restricts assignments to those that constraints follow. */
const followed: ViewRestriction = (target, alias) => target === ASSIGNMENT ? isFollowed(alias) : undefined;

/** Returns a filter that is true or false for each row. */
export function presence(
  condition: (context: PredicateContext) => SQL,
  { description }: { description?: string } = {},
): FilterField {
  return {
    kind: "predicate",
    type: "boolean",
    ...(description === undefined ? {} : { description }),
    condition: (value, context) => {
      const own = condition(context.isConstraint ? { ...context, shown: followed } : context);
      return value ? own : sql`NOT (${own})`;
    },
  };
}

/** Returns the condition that a row of another table exists that fulfils all conditions. */
export function existing(table: SQL, alias: string, ...conditions: readonly (SQL | undefined)[]): SQL {
  return sql`EXISTS (SELECT 1 FROM ${table} AS ${sql.identifier(alias)}${where(...conditions)})`;
}

/** The value of `discovered_via` of a certificate that is known from a list only, which lacks some of its identity. */
export const FROM_LIST = "list";

/** Returns whether the service found a certificate, and nobody has said yet that it belongs to the inventory. */
export function isFound(
  { status, discovered_via: via }: { readonly status: string; readonly discovered_via: string },
): boolean {
  return status === "pending" && via !== "" && via !== FROM_LIST;
}

/**
 * Returns the condition that the service found a certificate and nobody has accepted it: it is pending, or expired while
 * it was. It reserves no serial number and issuer, because anyone can make the service find a forged certificate.
 */
export function isProvisional(alias: string): SQL {
  return sql`(${columnOf(alias, "discovered_via")} <> '' AND 'pending' IN (${columnOf(alias, "status")}, ${
    columnOf(alias, "expired_from")
  }))`;
}

/** Returns the value after the write: the given one, or the stored one. */
export function effective(draft: CertificateDraft, name: string): unknown {
  return name in draft.input ? draft.input[name] : draft.before?.[name];
}

/** Returns whether a draft changes a certificate that is known from a list. */
export function isListed({ before }: CertificateDraft): boolean {
  return before?.discovered_via === FROM_LIST;
}

/** Texts that a record of a list may lack. */
const LACKING = ["serial_number", "fingerprint_sha256", "issuer"] as const;

/** Removes the errors of fields that are empty as they were before. */
export function acceptBlanks({ before, errors }: CertificateDraft): void {
  for (const name of LACKING) {
    const isBlank = ({ field, code, params }: Finding): boolean =>
      field === name && before?.[name] === "" && (code === "blank" || params.value === quote(""));
    const place = errors.findIndex(isBlank);
    if (place >= 0) errors.splice(place, 1);
  }
}

/** Makes a certificate that was known from a list a usual one when its identity becomes known. */
export function acceptListed(draft: CertificateDraft): void {
  const { input, before, row } = draft;
  const isChanged = ([...LACKING, "algorithm", "pem_content"] as const).some((name) =>
    name in input && input[name] !== before?.[name]
  );
  const isUnknown = LACKING.some((name) => effective(draft, name) === "") ||
    (effective(draft, "algorithm") === "unknown" && (input.pem_content ?? "") === "");
  if (isUnknown || !isChanged) return;
  row.discovered_via = "";
  // A form repeats the status.
  if (before?.status === "pending" && (input.status ?? "pending") === "pending") input.status = "active";
}
