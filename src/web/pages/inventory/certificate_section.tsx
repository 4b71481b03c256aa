/** The certificates of an object on its page. */

import type { Out } from "../../../resource/mod.ts";
import { isGranted } from "../../../auth/mod.ts";
import { counted, daysText, numberText } from "../../../base/amounts.ts";
import { countRevokedTogether, SEVERAL_REVOKED } from "../../../domain/advice/mod.ts";
import { assignments } from "../../../domain/assignments/mod.ts";
import { certificates, countByObject, STATUSES } from "../../../domain/certificates/mod.ts";
import { incidents } from "../../../domain/incidents/mod.ts";
import type { Call } from "../../call.ts";
import { allCertificatesPath, certificateTable, incidentPath, REVOKED_USED } from "../certificates/mod.ts";
import { Day, EmptyState, type Html, Icon, Joined, truncate } from "../../kit/components/mod.ts";
import { may, type Params, readRows, searchOf, type View } from "../../kit/mod.ts";
import { certificatesPath, EXPIRED_ISSUER, listFilter, type ObjectKind, ownExpiry } from "./belongings.ts";
import { nounOf } from "../../type_label.ts";

/** Number of certificates on the page. */
const SHOWN = 10;

interface Belonged {
  readonly view: View;
  readonly object: Out;
  readonly belonging: ObjectKind;
}

/**
 * Reads and renders the certificates in use that the user may view, next to expire first, and above them revoked ones
 * that are still assigned or served.
 */
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
      columns: ["assigned_to", ...columns],
    }),
  ]);
  const through = ofServices === undefined || ofServices.total === 0 ? null : (
    <>
      <h2 id="through-services">
        Certificates of its services <span class="count">{numberText(ofServices.total)}</span>
      </h2>
      {ofServices.list}
      <p class="actions">{ofServices.all}</p>
    </>
  );
  const search = searchOf({
    assigned_object_type: view.resource.objectType,
    assigned_object_id: object.id,
  });
  const assign = !assigned || !may(call, assignments, "add")
    ? null
    : (
      <a role="button" class="secondary small" href={`/assignments/new/?${search}`}>
        <Icon name="plus" />Assign certificate
      </a>
    );
  if (through !== null && own.total === 0) {
    return (
      <section aria-labelledby="through-services">
        {through}
        <p>No certificate in use is assigned to this {nounOf(view.resource)} itself. {assign}</p>
      </section>
    );
  }
  return (
    <section aria-labelledby="certificates">
      <h2 id="certificates">
        Certificates in use <span class="count">{numberText(own.total)}</span>
      </h2>
      {own.total > 0
        ? own.list
        : <EmptyState text={`No certificate in use belongs to this ${nounOf(view.resource)}.`} />}
      <p class="actions">
        {own.all}
        {assign}
      </p>
      {through}
    </section>
  );
}

/** Certificates: their number, the first ones, and the link to all. */
interface Belongings {
  readonly total: number;
  readonly list: Html;
  readonly all: Html;
}

/** Reads the certificates in use that match a filter, the most urgent first. */
async function belongings(
  call: Call,
  { id, by, filter, columns }: {
    id: number;
    by: ObjectKind["by"];
    filter: Params;
    columns: readonly string[];
  },
): Promise<Belongings> {
  const counts = await countEach(call, { id, by, of: URGENT.map(({ params }) => params) });
  const urgent = URGENT.map((one, index) => ({ ...one, count: counts[index] ?? 0 })).filter((one) =>
    one.count > 0
  );
  const { settings } = call.ctx;
  const { count, table } = await certificateTable(call, {
    params: filter,
    limit: SHOWN,
    columns: ["common_name", "valid_to", ...columns],
    withRevoked: urgent.some(({ name }) => name === "revoked"),
  });
  return {
    total: count,
    list: (
      <>
        {urgent.length === 0 ? null : (
          <p>
            <Joined
              items={urgent.map(({ name, params, count }) => (
                <a href={certificatesPath({ ...filter, ...params })} class="underlined">
                  {numberText(count)} {name === "revoked"
                    ? "revoked but still assigned or served"
                    : name === "expired"
                    ? "expired"
                    : `${count === 1 ? "expires" : "expire"} ${expiryGroupDays(settings, name)}`}
                </a>
              ))}
            />.
          </p>
        )}
        {table}
      </>
    ),
    all: <a href={(count === 0 ? allCertificatesPath : certificatesPath)(filter)}>View all certificates</a>,
  };
}

/** Groups of certificates that need attention, with their filters. */
const URGENT = [
  { name: "revoked", params: REVOKED_USED },
  ...(["expired", "critical", "warning"] as const).map((name) => ({ name, params: { expiry_status: name } })),
] as const;

/** Returns in how many days certificates of a group expire: the groups do not overlap. */
export function expiryGroupDays(
  { criticalDays, warningDays }: Call["ctx"]["settings"],
  status: "critical" | "warning",
): string {
  return status === "critical"
    ? `within ${criticalDays} days`
    : `in ${criticalDays + 1} to ${warningDays} days`;
}

/** Number of open incidents that are looked at for the page of an authority. */
const INCIDENTS = 50;

/** Renders the certificates of an authority by state, distrusted ones, and those in open incidents. Three statements. */
export async function authorityNumbers(
  call: Call,
  { authority, belonging: { by, filter } }: { authority: Out; belonging: ObjectKind },
): Promise<Html | null> {
  const open = !isGranted(call.ctx, "view", incidents.objectType)
    ? []
    : (await readRows(call.ctx, incidents, {
      params: { status: "open", limit: INCIDENTS },
      fields: ["id", "name"],
    })).rows;
  const numbers: readonly (readonly [label: string, params: Params])[] = [
    ...STATUSES.map((status) => [status, { status }] as const),
    ["distrusted", { chain_error: ["distrusted", "distrusted_after"] }],
    ["revoked by the authority", { revocation_status: "revoked", status: [...STATUSES] }],
    ...open.map(({ id, name }) => [`in the incident “${truncate(name)}”`, { incident_open: id }] as const),
  ];
  const counts = await countEach(call, { id: authority.id, by, of: numbers.map(([, params]) => params) });
  const some = numbers.flatMap(([label, params], index) => {
    const count = counts[index] ?? 0;
    const path = certificatesPath({ ...filter(authority), ...params });
    return count === 0 ? [] : [<a href={path} class="underlined">{numberText(count)} {label}</a>];
  });
  if (some.length === 0) return null;
  const own = filter(authority);
  // Those of an open incident need no other one.
  const isOpen = counts.slice(numbers.length - open.length).some((count) => count > 0);
  const together = isOpen ? 0 : await countRevokedTogether(call.ctx, { issuing_ca_id: authority.id });
  const criteria = { "criteria.filter": String(searchOf(own)) };
  return (
    <p>
      All certificates: <Joined items={some} />.
      {together < SEVERAL_REVOKED ? null : (
        <>
          {" "}
          {numberText(together)} of them were revoked within a day:{" "}
          <a href={incidentPath(String(authority.name), criteria)}>new incident</a>.
        </>
      )}
    </p>
  );
}

/** Renders that the own certificate of an authority, or one of its issuers, has expired, and what depends on it. */
export async function ownState(
  call: Call,
  { authority, belonging: { by, filter } }: { authority: Out; belonging: ObjectKind },
): Promise<Html | null> {
  const own = filter(authority);
  const [current = 0, rejected = 0] = await countEach(call, {
    id: authority.id,
    by,
    of: [{}, EXPIRED_ISSUER],
  });
  const expiry = ownExpiry(call, authority);
  const link = (params: Params, text: string): Html => (
    <a href={certificatesPath({ ...own, ...params })}>{text}</a>
  );
  if (expiry !== undefined && expiry.expiry_status !== "ok") {
    const expired = expiry.expiry_status === "expired";
    return (
      <div class={`summary ${expired ? "bad" : "warn"}`}>
        <p>
          <strong>
            {expired ? "Expired" : "Expires"} <Day at={expiry.valid_to} />, {daysText(expiry.days_remaining)}.
          </strong>{" "}
          {current === 0 ? null : (
            <>
              {link({}, counted(current, "certificate in use depends", "certificates in use depend"))} on it.
            </>
          )}
        </p>
      </div>
    );
  }
  return rejected === 0 ? null : (
    <div class="summary bad">
      <p>
        <strong>An issuer certificate has expired.</strong> Clients reject{" "}
        {link(EXPIRED_ISSUER, counted(rejected, "certificate in use", "certificates in use"))}.
      </p>
    </div>
  );
}

/** Counts the certificates of an object in several lists; none if the user may view no certificates. One statement. */
async function countEach(
  call: Call,
  { id, by, of }: { id: number; by: ObjectKind["by"]; of: readonly Params[] },
): Promise<readonly number[]> {
  if (!isGranted(call.ctx, "view", certificates.objectType)) return [];
  const filters = of.map((params) => listFilter(call, params));
  return (await countByObject({ ctx: call.ctx, by, ids: [id], filters })).get(id) ?? [];
}
