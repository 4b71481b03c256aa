/** Effective permissions of a user or a group, each with its origin. */

import { type Column, type Html, ListSection, truncate } from "../../kit/components/mod.ts";
import type { User } from "../../../domain/accounts/users/resource.ts";
import { isGranted } from "../../../auth/mod.ts";
import { type Permission, permissions } from "../../../domain/accounts/permissions/resource.ts";
import { assetPath } from "../../assets/mod.ts";
import type { Call } from "../../call.ts";
import { objectPath } from "../../paths.ts";
import { constraintsOf, constraintWords, May } from "../permissions/words.tsx";
import { readRows } from "../../kit/list/read_list.ts";
import { PICK } from "../../kit/filters/filter_rows.ts";
import type { FormState, View } from "../../kit/mod.ts";
import { type Access, isAccess, plannedAccess } from "../../../domain/accounts/users/access.ts";

/** Maximum number of permissions that are shown. */
const SHOWN = 100;
const FIELDS = [
  "id",
  "display",
  "name",
  "enabled",
  "object_types",
  "actions",
  "constraints",
  "users",
  "groups",
] as const;

type Granted = Pick<Permission, "name" | "object_types" | "actions" | "constraints"> & {
  /** Undefined if it does not exist yet. */
  readonly id?: number;
  readonly through?: string;
};

/** Kinds of access as forms name them. */
const ACCESS_WORDS: Readonly<Record<Access, string>> = {
  everything: "Everything (superuser)",
  read_all: "The whole inventory, read only",
  read_tenant: "One tenant, read only",
  manage_tenant: "One tenant, manage",
};

/** How the form of a user shows its access. */
export const ACCESS_FIELDS: View["fields"] = {
  access: {
    help: "Adds the user to a group with these permissions.",
    choices: () => Object.entries(ACCESS_WORDS),
    blank: "Custom: only the groups below",
  },
  access_tenant: { help: "Only for access to one tenant.", blank: "No tenant" },
  groups: { help: "", note: accessRights },
};

/** Renders what the access and the groups in the form of a user allow, before it is saved. At most four statements. */
async function accessRights(call: Call, state: FormState): Promise<Html | null> {
  if (!isGranted(call.ctx, "view", permissions.objectType)) return null;
  const { access, access_tenant: tenant } = state;
  const ids = [state.groups ?? []].flat().map(Number).filter(Number.isSafeInteger);
  const planned = isAccess(access) && access !== "everything"
    ? await plannedAccess(call.ctx.database, { access, tenantId: Number(tenant) || undefined })
    : undefined;
  const groups = planned?.id === undefined ? ids : [...ids, planned.id];
  const rows: readonly Granted[] = access === "everything" ? [] : [
    ...planned?.id === undefined ? planned?.permissions ?? [] : [],
    ...groups.length === 0 ? [] : await read(call, { groups_id: groups }),
  ];
  const text = access === "everything"
    ? "A superuser has all permissions."
    : isAccess(access) && planned === undefined
    ? "Choose the tenant."
    : "No permissions: the user may sign in, and sees only their own account.";
  return (
    <div id="access-rights" data-in-place="access access_tenant groups">
      {await section(call, { rows, text, whole: true })}
      <noscript>
        <button type="submit" name={PICK} value="rights" formnovalidate class="secondary">
          Show permissions
        </button>
      </noscript>
      <script type="module" src={assetPath("in_place.js")}></script>
    </div>
  );
}

/** Renders the enabled permissions of a user, directly and through groups. At most four statements. */
export async function userPermissions(call: Call, user: User): Promise<Html | null> {
  if (!isGranted(call.ctx, "view", permissions.objectType)) return null;
  if (user.is_superuser) return await section(call, { rows: [], text: "A superuser has all permissions." });
  const groups = user.groups.map(({ id }) => id);
  const [own, through] = await Promise.all([
    read(call, { users_id: user.id }),
    groups.length === 0 ? [] : read(call, { groups_id: groups }),
  ]);
  const all = new Map([...own, ...through].map((one) => [one.id, one]));
  const rows = [...all.values()].map((row) => ({
    ...row,
    through: [
      ...(row.users.some(({ id }) => id === user.id) ? ["directly"] : []),
      ...row.groups.filter(({ id }) => groups.includes(id)).map(({ display }) => display),
    ].join(", "),
  }));
  return await section(call, {
    rows,
    text: "No permissions yet. Grant one to the user or to a group of theirs.",
  });
}

/** Renders the enabled permissions of a group. */
export async function groupPermissions(call: Call, group: { readonly id: number }): Promise<Html | null> {
  if (!isGranted(call.ctx, "view", permissions.objectType)) return null;
  const rows = await read(call, { groups_id: group.id });
  return await section(call, {
    rows,
    text: "No permissions yet. The users of a group share its permissions.",
  });
}

async function read(
  call: Call,
  of: Readonly<Record<string, number | readonly number[]>>,
): Promise<readonly Pick<Permission, (typeof FIELDS)[number]>[]> {
  const params = { ...of, enabled: "true", ordering: "name", limit: SHOWN };
  return (await readRows(call.ctx, permissions, { params, fields: FIELDS })).rows;
}

async function section(
  call: Call,
  { rows, text, whole = false }: { rows: readonly Granted[]; text: string; whole?: boolean },
): Promise<Html> {
  const words = await constraintWords(call, rows);
  const through: Column<Granted> = {
    label: "Through",
    cell: ({ through = "" }) => through,
    layout: ["p2", "folds", "named"],
  };
  const columns: readonly Column<Granted>[] = [
    {
      label: "Permission",
      cell: ({ id, name }) =>
        id === undefined ? <bdi>{truncate(name)}</bdi> : (
          <a href={objectPath(permissions, id)} class="object">
            <bdi>{truncate(name)}</bdi>
          </a>
        ),
    },
    { label: "May", cell: (row) => <May row={row} whole={whole} />, layout: ["folds"] },
    {
      label: "Only where",
      cell: (row) => words.has(row) ? <bdi class="in-words">{words.get(row)}</bdi> : constraintsOf(row),
      layout: ["p2", "folds", "named"],
    },
    ...(rows.some((row) => row.through !== undefined) ? [through] : []),
  ];
  return (
    <ListSection id="permissions" title="Effective permissions" rows={rows} columns={columns} empty={text} />
  );
}
