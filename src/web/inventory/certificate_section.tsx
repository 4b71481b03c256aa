/** The certificates of an object on its page. */

import { isGranted } from "../../auth/mod.ts";
import { numberText } from "../../base/amounts.ts";
import { ASSIGNED_RESOURCES, assignments } from "../../domain/assignments/mod.ts";
import { certificates, countByObject } from "../../domain/certificates/mod.ts";
import type { Call } from "../call.ts";
import { certificateTable } from "../certificates/mod.ts";
import { EmptyState, type Html, Icon, Joined } from "../components/mod.ts";
import { type ApiObject, may, type Params, type View } from "../objects/mod.ts";
import { certificatesPath, currentFilter, type ObjectKind } from "./belongings.ts";
import { nounOf } from "../type_label.ts";

/** Number of certificates on the page. */
const SHOWN = 10;

interface Belonged {
  readonly view: View;
  readonly object: ApiObject;
  readonly belonging: ObjectKind;
}

/** Reads and renders the current certificates that the user may view, next to expire first. */
export async function certificateSection(
  call: Call,
  { view, object, belonging }: Belonged,
): Promise<Html | null> {
  const { assigned, columns } = belonging;
  const read = [certificates, ...(assigned ? [assignments] : [])];
  if (!read.every(({ objectType }) => isGranted(call.ctx, "view", objectType))) return null;
  const [own, ofServices] = await Promise.all([
    belongings(call, { id: object.id, by: belonging.by, filter: belonging.filter(object), columns }),
    belonging.through === undefined ? undefined : belongings(call, {
      id: object.id,
      by: belonging.through.by,
      filter: belonging.through.filter(object),
      columns: ["installed_on", ...columns],
    }),
  ]);
  const through = ofServices !== undefined && ofServices.count > 0
    ? <ThroughServices found={ofServices} />
    : null;
  const assign = assigned && may(call, assignments, "add")
    ? (
      <a role="button" class="secondary small" href={newAssignment(view, object)}>
        <Icon name="plus" />Assign certificate
      </a>
    )
    : null;
  if (through !== null && own.count === 0) {
    return (
      <section aria-labelledby="through-services">
        {through}
        <p>No current certificate is assigned to this {nounOf(view.resource)} itself. {assign}</p>
      </section>
    );
  }
  return (
    <section aria-labelledby="certificates">
      <h2 id="certificates">
        Current certificates <span class="count">{numberText(own.count)}</span>
      </h2>
      {own.count > 0
        ? own.list
        : <EmptyState text={`No current certificate belongs to this ${nounOf(view.resource)}.`} />}
      <p class="actions">
        {own.all}
        {assign}
      </p>
      {through}
    </section>
  );
}

/** Renders the certificates of the services of a host. */
function ThroughServices({ found: { count, list, all } }: { found: Belongings }): Html {
  return (
    <>
      <h2 id="through-services">
        Certificates of its services <span class="count">{numberText(count)}</span>
      </h2>
      {list}
      <p class="actions">{all}</p>
    </>
  );
}

/** Current certificates: their number, the first ones, and the link to all. */
interface Belongings {
  readonly count: number;
  readonly list: Html;
  readonly all: Html;
}

/** Reads current certificates that match a filter. */
async function belongings(
  call: Call,
  { id, by, filter, columns }: {
    id: number;
    by: ObjectKind["by"];
    filter: Params;
    columns: readonly string[];
  },
): Promise<Belongings> {
  const [{ count, table }, counts] = await Promise.all([
    certificateTable(call, {
      params: { ...filter, limit: SHOWN },
      columns: ["common_name", "valid_to", ...columns],
    }),
    countExpiring(call, { id, by, filter }),
  ]);
  return {
    count,
    list: (
      <>
        {counts.length === 0 ? null : (
          <p>
            <Joined items={counts} />.
          </p>
        )}
        {table}
      </>
    ),
    all: <a href={certificatesPath(filter)}>View all certificates</a>,
  };
}

function newAssignment({ resource }: View, { id }: ApiObject): string {
  const type = ASSIGNED_RESOURCES.find(({ objectType }) => objectType === resource.objectType)?.objectType;
  return `/assignments/new/?${new URLSearchParams({
    assigned_object_type: String(type),
    assigned_object_id: String(id),
  })}`;
}

/** Groups of certificates by expiry. */
const EXPIRIES = ["expired", "critical", "warning"] as const;

function expiryText(
  { ctx: { settings } }: Call,
  { status, count }: { status: typeof EXPIRIES[number]; count: number },
): string {
  const number = numberText(count);
  if (status === "expired") return `${number} expired`;
  return `${number} ${count === 1 ? "expires" : "expire"} ${expiryGroupDays(settings, status)}`;
}

/** Returns in how many days certificates of a group expire: the groups do not overlap. */
export function expiryGroupDays(
  { criticalDays, warningDays }: Call["ctx"]["settings"],
  status: "critical" | "warning",
): string {
  return status === "critical"
    ? `within ${criticalDays} days`
    : `in ${criticalDays + 1} to ${warningDays} days`;
}

/** Returns links such as "2 expired" and "3 expire within 30 days" to the lists of groups with certificates. */
async function countExpiring(
  call: Call,
  { id, by, filter }: { id: number; by: ObjectKind["by"]; filter: Params },
): Promise<Html[]> {
  const filters = EXPIRIES.map((status) => currentFilter(call, { expiry_status: status }));
  const counts = (await countByObject({ ctx: call.ctx, by, ids: [id], filters })).get(id) ?? [];
  return EXPIRIES.flatMap((status, index) => {
    const count = counts[index] ?? 0;
    return count === 0 ? [] : [
      <a href={certificatesPath({ ...filter, expiry_status: status })} class="underlined">
        {expiryText(call, { status, count })}
      </a>,
    ];
  });
}
