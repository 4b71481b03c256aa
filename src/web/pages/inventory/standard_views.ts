/** Views of resources whose pages are made from their definitions. */

import { isDictionary } from "../../../filters/mod.ts";
import { MAX_PASSWORD_CHARS, MIN_PASSWORD_CHARS } from "../../../base/limits.ts";
import { authorities } from "../../../domain/authorities/mod.ts";
import { contactAssignments } from "../../../domain/contact_assignments/mod.ts";
import { contactGroups, contactRoles, contacts } from "../../../domain/contacts/mod.ts";
import { customFieldChoiceSets, customFields, CUSTOMIZED_TYPES } from "../../../domain/custom_fields/mod.ts";
import { devices, services, tags, tenants, virtualMachines } from "../../../domain/inventory/mod.ts";
import { TellButton } from "../certificates/mod.ts";
import { assignmentView } from "./assignment_view.tsx";
import { hostDetailViews, small } from "./host_detail_views.ts";
import { auditEvents } from "../../../domain/system/audit_events/resource.ts";
import { groups } from "../../../domain/accounts/groups/resource.ts";
import { users } from "../../../domain/accounts/users/resource.ts";
import { Badge, Time, YesNo } from "../../kit/components/mod.ts";
import { capitalized, labelOf } from "../../messages.ts";
import { articled, typeLabel } from "../../type_label.ts";
import { ACCESS_FIELDS, groupPermissions, userPermissions } from "./effective_permissions.tsx";
import { shortName } from "../../kit/reference/reference_text.ts";
import { resetSecondFactor } from "../../../domain/accounts/second_factors/reset.ts";
import type { Route } from "../../call.ts";
import { objectAction } from "../../responses.ts";
import { incidents } from "../../../domain/incidents/mod.ts";
import { may, objectButton } from "../../kit/mod.ts";
import { ObjectLink } from "../../kit/detail/value.tsx";
import { defineView, type View } from "../../kit/view.ts";

export const views: readonly View[] = [
  defineView({
    resource: authorities,
    columns: ["type", "is_approved", "valid_to", "certificate_count"],
    // Those in use have a separate column, and are on the page.
    usual: ["type", "is_approved", "valid_to"],
    detail: (call, { id }) => ({
      without: ["certificate_count"],
      related: [
        ["Replaced certificates", `/certificates/?status=replaced&issuing_ca_id=${id}`],
        ["Endpoints that serve its certificates", `/endpoints/?certificate__issuing_ca_id=${id}`],
        ["Forecast", `/forecast/?issuing_ca_id=${id}`],
        ...(may(call, incidents, "add")
          ? [
            [
              "New incident",
              `/incidents/new/?criteria.filter=issuing_ca_id%3D${id}%26in_use%3Dtrue`,
            ] as const,
          ]
          : []),
      ],
    }),
    filters: ["type", "is_approved"],
    empty:
      "No authorities yet. A certificate is linked to its authority by the issuer's key or by a pattern of the issuer's name.",
  }),
  assignmentView,
  defineView({
    resource: tenants,
    columns: ["slug", "group", "description"],
    filters: ["group_id"],
    empty: "No tenants yet. Tenants divide the inventory by organization or team.",
    fields: {
      expiry_notices: {
        help:
          "For its certificates: days before the expiry (30d), or the share of the lifetime that is left (33%). Empty: as for the whole service.",
      },
    },
    detail: (_, { id }) => ({
      related: ["devices", "virtual-machines", "services", "endpoints"].map((name) =>
        [capitalized(name.replaceAll("-", " ")), `/${name}/?tenant_id=${id}`] as const
      ),
    }),
  }),
  defineView({
    resource: contacts,
    columns: ["title", "email", "phone", "groups"],
    filters: ["group_id"],
    empty: "No contacts yet. Contacts are the people and teams who are responsible for certificates.",
    detail: (call, { id, email }) => ({
      actions: email === "" ? null : TellButton({ call, all: "true", back: `/certificates/?owner=${id}` }),
      related: [["Responsible for", `/contact-assignments/?contact_id=${id}`]],
      // The first of the groups, for clients of earlier versions of NetBox.
      without: ["group"],
    }),
  }),
  small(contactGroups, {
    empty: "No contact groups yet. They group contacts, for example by department.",
    lists: [["contacts", "group_id"]],
  }),
  small(contactRoles, {
    empty: "No contact roles yet. A role says in what capacity a contact is responsible: owner, technical.",
    lists: [["contact-assignments", "role_id"]],
  }),
  defineView({
    resource: contactAssignments,
    name: { label: "Contact", needs: ["contact"], of: ({ contact }) => contact.display },
    columns: [
      "object",
      { name: "object_type", cell: ({ object_type }) => typeLabel(object_type) },
      "role",
      "priority",
    ],
    filters: ["object_type", "contact_id", "role_id", "priority"],
    empty: "No contact assignments yet. They record who is responsible for an object, and in what role.",
    title: {
      needs: ["contact", "object", "object_type"],
      of: ({ contact, object, object_type }) =>
        `${contact.display} for ${object?.display ?? articled(typeLabel(object_type))}`,
    },
  }),
  defineView({
    resource: tags,
    columns: ["slug", "color", "description"],
    filters: [],
    empty: "No tags yet. Tags label objects across the inventory.",
  }),
  defineView({
    resource: devices,
    columns: ["status", "role", "device_type", "site", "tenant"],
    filters: ["tenant_id", "site_id", "role_id", "status"],
    empty: "No devices yet. Devices are the hardware that certificates are assigned to.",
    detail: (_, object) => ({
      related: listsOfHost("device_id", object.id),
      // The role, for clients of earlier versions of NetBox.
      without: ["device_role"],
    }),
  }),
  defineView({
    resource: virtualMachines,
    columns: ["status", "role", "cluster", "site", "tenant"],
    filters: ["tenant_id", "cluster_id", "role_id", "status"],
    empty: "No virtual machines yet. Create the virtual machines that certificates are assigned to.",
    detail: (_, object) => ({ related: listsOfHost("virtual_machine_id", object.id) }),
  }),
  defineView({
    resource: services,
    // The protocol and the ports are columns.
    name: { needs: ["name"], of: ({ name }) => name },
    title: { needs: [], of: ({ display }) => shortName(display) },
    columns: [
      "protocol",
      "ports",
      {
        name: "parent",
        label: "Runs on",
        cell: ({ parent }) => parent === null ? "" : ObjectLink({ brief: parent }),
      },
      "tenant",
    ],
    fields: {
      protocol: {
        text: (protocol) => String(isDictionary(protocol) ? protocol.value : protocol).toUpperCase(),
      },
    },
    filters: ["tenant_id", "protocol", "port"],
    empty: "No services yet. A service listens on a port of a device or virtual machine.",
    detail: (_, { id }) => ({
      related: [["Endpoints", `/endpoints/?service_id=${id}`]],
      // The parent, under the name of its type.
      without: ["device", "virtual_machine"],
    }),
  }),
  ...hostDetailViews,
  defineView({
    resource: customFields,
    columns: ["label", "type", "object_types", "required"],
    filters: ["type"],
    fields: {
      object_types: {
        choices: () => CUSTOMIZED_TYPES.map((type) => [type, typeLabel(type)] as const),
        text: (types) => [types].flat().map((type) => typeLabel(String(type))).join(", "),
      },
    },
    empty: "No custom fields yet. They add fields of your own to certificates, devices and other objects.",
  }),
  defineView({
    resource: customFieldChoiceSets,
    columns: ["description"],
    filters: [],
    empty: "No choice sets yet. A choice set has the choices of custom fields.",
    detail: (_, object) => ({
      related: [["Custom fields", `/custom-fields/?choice_set_id=${object.id}`]],
    }),
  }),
  defineView({
    resource: users,
    form: {
      fields: [
        "username",
        "password",
        "first_name",
        "last_name",
        "email",
        "is_active",
        "access",
        "access_tenant",
        "is_superuser",
        "groups",
      ],
      sections: [
        { title: "", fields: ["username", "password", "first_name", "last_name", "email", "is_active"] },
        { title: "Access", fields: ["access", "access_tenant", "groups"] },
      ],
    },
    columns: [
      "email",
      {
        name: "is_active",
        cell: ({ is_active }) => is_active ? "yes" : Badge({ value: "inactive", tone: "off" }),
        layout: ["p2", "folds", "problems"],
      },
      {
        name: "is_superuser",
        cell: ({ is_superuser }) => is_superuser ? Badge({ value: "superuser", tone: "info" }) : "no",
        layout: ["p3", "folds", "problems"],
      },
      {
        name: "has_second_factor",
        needs: ["is_superuser"],
        cell: ({ has_second_factor: has, is_superuser }) =>
          has === false && is_superuser ? Badge({ value: "no", tone: "warn" }) : YesNo({ value: has }),
        layout: ["p3", "folds", "named"],
      },
      "groups",
      { name: "last_login", cell: ({ last_login: at }) => at === null ? "never" : Time({ at }) },
    ],
    filters: ["is_active", "is_superuser", "has_second_factor", "groups_id"],
    fields: {
      username: { help: "" },
      is_active: { help: "Inactive users cannot sign in, and their API tokens are refused." },
      is_superuser: { help: "May do everything." },
      password: {
        help:
          `${MIN_PASSWORD_CHARS} to ${MAX_PASSWORD_CHARS} characters. A new one signs the user out; API tokens stay valid.`,
      },
      ...ACCESS_FIELDS,
    },
    create: () => ({ without: ["is_superuser"] }),
    empty: "No users yet.",
    detail: (call, user) => ({
      // Users who have lost their devices ask another one.
      actions: user.has_second_factor !== true || user.id === call.ctx.actor.userId
        ? null
        : objectButton(call, users, {
          id: user.id,
          may: "change",
          path: RESET_PATH,
          label: "Reset second factor",
          class: "secondary",
        }),
      related: [["Changes by this user", `/changes/?user_id=${user.id}`]],
      facts: [[labelOf("last_login"), user.last_login === null ? "never" : Time({ at: user.last_login })]],
      without: ["date_joined", "last_login"],
      sections: userPermissions(call, user),
    }),
  }),
  defineView({
    resource: groups,
    columns: ["description"],
    filters: [],
    empty: "No groups yet. The users of a group share its permissions.",
    detail: (call, group) => ({
      related: [["Users", `/users/?groups_id=${group.id}`]],
      sections: groupPermissions(call, group),
    }),
  }),
  defineView({
    resource: auditEvents,
    name: { label: "Event" },
    columns: ["time", "username", "detail", "address"],
    title: {
      needs: ["event", "username"],
      // `sign_in_failed` is "Sign-in failed".
      of: ({ event, username }) =>
        capitalized(event.replaceAll("_", " ")).replace(/^Sign in/, "Sign-in") +
        (username === "" ? "" : `: ${username}`),
    },
    filters: ["event", "username", "address"],
    empty: "No audit events yet. Sign-ins and changes of credentials appear here.",
  }),
];

/** Returns the lists of the services and endpoints of a host. */
function listsOfHost(filter: string, id: number): readonly (readonly [label: string, path: string])[] {
  return [
    ["Services", `/services/?${filter}=${id}`],
    ["Endpoints", `/endpoints/?${filter}=${id}`],
    ["Endpoints of services", `/endpoints/?service__${filter}=${id}`],
  ];
}

const RESET_PATH = "reset-second-factor/";

/** The button that removes passkeys, app and codes of a user. */
export const resetRoute: Route = objectAction(users, RESET_PATH, {
  run: ({ ctx }, id) => resetSecondFactor({ ctx, id }),
  codes: ["conflict"],
  report: "Second factor reset. The user signs in with the password and can add a new one.",
});
