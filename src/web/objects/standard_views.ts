/** The resources whose pages are made from their definitions. */

import { assignments, TARGETS } from "../../domain/assignments/mod.ts";
import { authorities } from "../../domain/authorities/mod.ts";
import { devices, services, tags, tenants, virtualMachines } from "../../domain/inventory/mod.ts";
import { groups } from "../../domain/accounts/groups/mod.ts";
import { signingRequests } from "../../domain/signing_requests/mod.ts";
import { users } from "../../domain/accounts/users/mod.ts";
import { capitalized } from "../messages.ts";
import type { ApiObject, View } from "./view.ts";

/** All of them. */
export const views: readonly View[] = [
  {
    resource: authorities,
    columns: ["type", "is_approved", "certificate_count"],
    filters: ["type", "is_approved"],
    empty:
      "No authorities yet. A certificate is linked to its authority by the issuer's key or by a pattern of the issuer's name.",
    related: (object) => [["Certificates", `/certificates/?issuing_ca_id=${object.id}`]],
  },
  {
    resource: assignments,
    columns: ["is_primary", "assigned_object_type", "created"],
    filters: ["assigned_object_type", "is_primary"],
    empty:
      "No assignments yet. An assignment records which device, virtual machine or service uses a certificate.",
    title: {
      needs: ["certificate_detail", "assigned_object", "assigned_object_type"],
      of: (object) => `${certificateOf(object)} on ${targetOf(object)}`,
    },
    options: {
      assigned_object_type: () => TARGETS.map(({ objectType, label }) => [objectType, label] as const),
    },
    unshown: ["certificate", "assigned_object_id"],
  },
  {
    resource: signingRequests,
    columns: ["status", "requested_by", "target_ca", "created"],
    filters: ["status", "target_ca"],
    // Everything else is read from the PEM where it is left empty.
    first: ["pem_content"],
    empty: "No signing requests yet. Paste one as PEM; its fields are read from it.",
  },
  {
    resource: tenants,
    columns: ["slug", "description"],
    filters: [],
    empty: "No tenants yet. Tenants divide the inventory by organisation or team.",
    related: belongings("tenant_id", ["certificates", "devices", "virtual-machines", "services"]),
  },
  {
    resource: tags,
    columns: ["slug", "color", "description"],
    filters: [],
    empty: "No tags yet. Tags label objects across the inventory.",
    related: (object) => [["Certificates with this tag", `/certificates/?tag=${object.slug}`]],
  },
  {
    resource: devices,
    columns: ["tenant", "description"],
    filters: ["tenant_id"],
    empty: "No devices yet. Devices are the hardware that certificates are installed on.",
    related: (object) => [["Assignments", `/assignments/?device_id=${object.id}`]],
  },
  {
    resource: virtualMachines,
    columns: ["tenant", "description"],
    filters: ["tenant_id"],
    empty: "No virtual machines yet. Create the virtual machines that certificates are installed on.",
    related: (object) => [["Assignments", `/assignments/?virtual_machine_id=${object.id}`]],
  },
  {
    resource: services,
    columns: ["protocol", "ports", "parent", "tenant"],
    filters: ["tenant_id", "protocol", "port"],
    empty: "No services yet. A service listens on a port of a device or virtual machine.",
    related: (object) => [["Assignments", `/assignments/?service_id=${object.id}`]],
  },
  {
    resource: users,
    columns: ["email", "is_active", "is_superuser", "groups", "last_login"],
    filters: ["is_active", "is_superuser", "groups_id"],
    empty: "No users yet.",
    related: (object) => [["Changes by this user", `/changes/?user_id=${object.id}`]],
  },
  {
    resource: groups,
    columns: ["description"],
    filters: [],
    empty: "No groups yet. The users of a group share its permissions.",
    related: (object) => [["Users", `/users/?groups_id=${object.id}`]],
  },
];

function certificateOf({ certificate_detail: certificate }: ApiObject): string {
  return String((certificate as ApiObject | null)?.common_name ?? "a certificate");
}

/** What the certificate is on, by name where the user may see it. */
function targetOf({ assigned_object: object, assigned_object_type: type }: ApiObject): string {
  return (object as ApiObject | null)?.display ??
    `a ${TARGETS.find(({ objectType }) => objectType === type)?.label ?? "object"}`;
}

/** Lists of what belongs to an object, narrowed to it by `parameter`. */
function belongings(
  parameter: string,
  names: readonly string[],
): (object: ApiObject) => (readonly [string, string])[] {
  return (object) =>
    names.map((name) => {
      const label = capitalized(name.replaceAll("-", " "));
      return [label, `/${name}/?${parameter}=${object.id}`] as const;
    });
}
