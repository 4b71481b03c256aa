/** Effective permissions of a user or a group, each with its origin. */

import type { User } from "../../../domain/accounts/users/mod.ts";
import { isGranted } from "../../../auth/mod.ts";
import { type Permission, permissions } from "../../../domain/accounts/permissions/mod.ts";
import type { Call } from "../../call.ts";
import { type Content, EmptyState, type Html, Table, truncate } from "../../kit/components/mod.ts";
import { capitalized } from "../../messages.ts";
import { objectPath } from "../../paths.ts";
import { actionsText, typesText } from "../../permission_words.ts";
import { conditionsText } from "../../kit/filters/filter_words.ts";
import { readRows } from "../../kit/list/read_list.ts";

/** Maximum number of permissions that are shown. */
const SHOWN = 100;
/** Maximum length of constraints; the page of the permission has all. */
const MAX_WORDS = 300;
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

type Granted = Pick<Permission, (typeof FIELDS)[number]> & { readonly through?: string };

/** Renders the enabled permissions of a user, directly and through groups. At most four statements. */
export async function userPermissions(call: Call, user: User): Promise<Html | null> {
  if (!isGranted(call.ctx, "view", permissions.objectType)) return null;
  if (user.is_superuser) return <Section rows={[]} text="A superuser has all permissions." />;
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
  return <Section rows={rows} text="No permissions yet. Grant one to the user or to a group of theirs." />;
}

/** Renders the enabled permissions of a group. */
export async function groupPermissions(call: Call, group: { readonly id: number }): Promise<Html | null> {
  if (!isGranted(call.ctx, "view", permissions.objectType)) return null;
  const rows = await read(call, { groups_id: group.id });
  return <Section rows={rows} text="No permissions yet. The users of a group share its permissions." />;
}

async function read(
  call: Call,
  of: Readonly<Record<string, number | readonly number[]>>,
): Promise<readonly Granted[]> {
  const params = { ...of, enabled: "true", ordering: "name", limit: SHOWN };
  return (await readRows(call.ctx, permissions, { params, fields: FIELDS })).rows;
}

/** Returns to which objects a permission is restricted. */
function restriction({ constraints }: Granted): Content {
  return constraints === null
    ? <span class="faint">all objects</span>
    : <bdi>{truncate(conditionsText(constraints), MAX_WORDS)}</bdi>;
}

function Section({ rows, text }: { rows: readonly Granted[]; text: string }): Html {
  const shownThrough = rows.some(({ through }) => through !== undefined);
  return (
    <section aria-labelledby="permissions">
      <h2 id="permissions">Effective permissions</h2>
      {rows.length === 0 ? <EmptyState text={text} /> : (
        <Table
          caption="Effective permissions"
          rows={rows}
          columns={[
            {
              label: "Permission",
              cell: (row) => (
                <a href={objectPath(permissions, row.id)} class="object">
                  <bdi>{truncate(row.name)}</bdi>
                </a>
              ),
            },
            {
              label: "May",
              cell: ({ actions }) => actionsText(actions),
              layout: ["folds"],
              under: ({ actions, object_types }) => (
                <span class="wraps">
                  <strong>{capitalized(typesText(object_types))}</strong>: {actionsText(actions)}
                </span>
              ),
            },
            {
              label: "Objects",
              cell: ({ object_types }) => capitalized(typesText(object_types)),
              layout: ["folds"],
              under: () => "",
            },
            {
              label: "Only where",
              cell: restriction,
              under: (row) => (
                <span class="wraps">{row.constraints === null ? "" : "Only where: "}{restriction(row)}</span>
              ),
              layout: ["p2"],
            },
            ...(shownThrough
              ? [{
                label: "Through",
                cell: ({ through = "" }: Granted) => through,
                under: ({ through = "" }: Granted) => <span class="wraps">Through: {through}</span>,
                layout: ["p2" as const],
              }]
              : []),
          ]}
        />
      )}
    </section>
  );
}
