/** A list as groups with counts: by a related object, a choice or a month, each a link to its objects. */

import { numberText } from "../../../base/amounts.ts";
import { mapIn } from "../../../filters/mod.ts";
import { countGroups, type Group, groupingOf, MAX_GROUPS, parseListQuery } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { type Html, Icon, Table, withQuery } from "../components/mod.ts";
import { filterLabel, filterTarget } from "../filters/filter_description.ts";
import { namesBy } from "../reference/choices.ts";
import type { View } from "../view.ts";
import { defaultsOf } from "./tabs.tsx";
import { listedParams } from "./read_list.ts";

/** The parameter with the field by which a list is grouped. */
const GROUP_BY = "group_by";

/** Returns the fields by which a list can be grouped, from its usual filters. */
function groupings(call: Call, { resource, filters }: View): readonly string[] {
  const { fields } = mapIn(call.ctx, resource.map);
  const names = filters.map((name) => (name.split("__")[0] ?? "").replace(/_id$/, ""));
  return [...new Set(names)].filter((name) =>
    Object.hasOwn(fields, name) && groupingOf(fields[name]) !== undefined
  );
}

/** Returns the field by which a URL groups the list; undefined if it does not. */
export function groupedBy(call: Call, view: View, url: URL): string | undefined {
  const given = url.searchParams.get(GROUP_BY);
  return groupings(call, view).find((name) => name === given);
}

/** Renders the menu with the fields by which the list can be grouped. */
export function GroupMenu({ call, view, url }: { call: Call; view: View; url: URL }): Html | null {
  const [names, by] = [groupings(call, view), groupedBy(call, view, url)];
  if (names.length === 0) return null;
  const link = (name: string | null, label: string): Html => (
    <li>
      <a
        href={withQuery(url, { [GROUP_BY]: name, offset: null })}
        aria-current={(by ?? null) === name ? "true" : undefined}
      >
        {label}
      </a>
    </li>
  );
  return (
    <details class="menu">
      <summary role="button" class="secondary" title="Group by">
        <Icon name="group" />
        <span class="optional">{by === undefined ? "Group" : `By ${filterLabel(by).toLowerCase()}`}</span>
      </summary>
      <div>
        <ul>
          {link(null, "Not grouped")}
          {names.map((name) => link(name, filterLabel(name)))}
        </ul>
      </div>
    </details>
  );
}

/** Reads and renders the groups. Two statements. */
export async function groupTable(
  call: Call,
  view: View,
  { url, by, count }: { url: URL; by: string; count: number },
): Promise<Html> {
  const { ctx } = call;
  const { resource } = view;
  const { filter } = parseListQuery(ctx, { resource, params: listedParams(url, defaultsOf(view)) });
  const groups = await countGroups({ ctx, resource, filter, by });
  const field = mapIn(ctx, resource.map).fields[by];
  const kind = groupingOf(field);
  const name = field?.kind === "reference" ? `${by}_id` : by;
  const target = kind === "object" ? filterTarget(call, resource, name) : undefined;
  const names = target &&
    await namesBy(call, target, groups.flatMap(({ key }) => key === null ? [] : String(key)));
  const labelOf = ({ key }: Group): string =>
    key === null || key === "" ? "None" : names?.get(String(key)) ??
      (field?.kind === "boolean" ? key ? "Yes" : "No" : String(key).replaceAll("_", " "));
  const largest = Math.max(1, ...groups.map((group) => group.count));
  return (
    <>
      <Table
        caption={`By ${filterLabel(by).toLowerCase()}`}
        columns={[
          {
            label: filterLabel(by),
            cell: (group) => (
              <a
                href={withQuery(url, {
                  [GROUP_BY]: null,
                  offset: null,
                  ...membersOf(url, group, { kind, name, by }),
                })}
              >
                {labelOf(group)}
              </a>
            ),
          },
          { label: "Number", cell: (group) => numberText(group.count), layout: ["number"] },
          {
            label: "Share",
            cell: (group) => <meter min={0} max={largest} value={group.count} aria-hidden="true"></meter>,
            layout: ["hidden-label", "p2"],
          },
        ]}
        rows={groups.map((group) => ({ ...group, id: group.key }))}
        id="rows"
        dense
      />
      <p class="faint">
        {groups.length < MAX_GROUPS
          ? `${numberText(count)} in ${numberText(groups.length)} groups.`
          : `The ${MAX_GROUPS} largest groups of ${numberText(count)}.`}
      </p>
    </>
  );
}

/** Returns the filters that select a group within the list. */
function membersOf(
  url: URL,
  { key }: Group,
  { kind, name, by }: { kind: ReturnType<typeof groupingOf>; name: string; by: string },
): Record<string, string> {
  if (kind === "object") {
    // The owner is no relation, which could be null.
    return key === null && name === by ? { [`has_${by}`]: "false" } : { [name]: String(key) };
  }
  if (key === null || key === "") return { [`${by}__empty`]: "true" };
  if (kind !== "month") return { [typeof key === "number" ? by : `${by}__exact`]: keyText(key) };
  const [year = 0, month = 0] = String(key).split("-").map(Number);
  const next = month === 12 ? `${year + 1}-01-01` : `${year}-${String(month + 1).padStart(2, "0")}-01`;
  const [from, to] = [url.searchParams.get(`${by}__gte`) ?? "", url.searchParams.get(`${by}__lt`) ?? "9999"];
  return {
    [`${by}__gte`]: from > `${key}-01` ? from : `${key}-01`,
    [`${by}__lt`]: to < next ? to : next,
  };
}

function keyText(key: string | number): string {
  return typeof key === "number" ? String(key === 1) : key;
}
