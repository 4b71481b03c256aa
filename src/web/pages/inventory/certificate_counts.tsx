/**
 * The columns of a list with the numbers of certificates of each object: all, revoked ones that are still assigned or served,
 * expired, and expiring soon; and when authorities expire.
 */

import type { AnyObject } from "../../../resource/mod.ts";
import { isGranted } from "../../../auth/mod.ts";
import { counted, numberText } from "../../../base/amounts.ts";
import { certificates, countByObject, type OwnExpiry } from "../../../domain/certificates/mod.ts";
import type { Call } from "../../call.ts";
import { REVOKED_USED } from "../certificates/mod.ts";
import { Badge, CountLink, Expiry, ExpiryBrief, type Html } from "../../kit/components/mod.ts";
import type { ColumnOf, Params, View } from "../../kit/mod.ts";
import { certificatesPath, EXPIRED_ISSUER, listFilter, type ObjectKind, ownExpiry } from "./belongings.ts";

/** Numbers of certificates: the column, the filter of the list to which a number links, and its color. */
const COUNTS = [
  { name: "certificates", label: "Certificates", params: {}, tone: undefined },
  { name: "revoked", label: "Revoked", params: REVOKED_USED, tone: "bad" },
  { name: "expired", label: "Expired", params: { expiry_status: "expired" }, tone: "bad" },
  { name: "expiring", label: "Expiring", params: { expiry_status: ["critical", "warning"] }, tone: "warn" },
] as const satisfies readonly Count[];

interface Count {
  readonly name: string;
  readonly label: string;
  readonly params: Params;
  readonly tone: "bad" | "warn" | undefined;
}

/** The certificates of the services of a host. */
const THROUGH = { name: "through_services", label: "Through services", params: {}, tone: undefined } as const;

/** Those in a state, by the column of that state: they are counted in addition to those of the host itself. */
const THROUGH_STATES = new Map(
  COUNTS.filter(({ tone }) => tone !== undefined).map((count) =>
    [count.name as string, { ...count, name: `through_${count.name}` }] as const
  ),
);

/** Returns columns with the numbers of certificates that the user may view, as links to their lists. */
export function countColumns(
  { columns, usual }: View,
  { by, filter, through }: ObjectKind,
): Pick<View, "columns" | "usual" | "withMore"> {
  const column = (count: Count, own = filter): ColumnOf => ({
    name: count.name,
    label: count.label,
    layout: [
      "number",
      count.name === "revoked" ? "p4" : "p2",
      ...count.tone === undefined ? [] : ["leads" as const],
    ],
    cell: (row) => (
      <>
        <CountLink
          number={count.tone === undefined ? numberOf(row, count) : numberOf(row, count) || null}
          path={certificatesPath({ ...own(row), ...count.params })}
          tone={count.tone}
        />
        <ThroughLink row={row} count={count} through={through} />
      </>
    ),
    under: (row) => <CountTexts row={row} count={count} />,
  });
  const added = [
    ...COUNTS.map((count) => column(count)),
    ...through === undefined ? [] : [column(THROUGH, through.filter)],
  ];
  return {
    columns: columns.toSpliced(usual?.length ?? columns.length, 0, ...added),
    ...(usual === undefined ? {} : { usual: [...usual, ...added.map(({ name }) => name)] }),
    withMore: async (call, rows, shown) => {
      const [ofObjects, ofServices] = await Promise.all([
        COUNTS.some(({ name }) => shown.includes(name)) ? countsOf(call, rows, { by, counts: COUNTS }) : [],
        through !== undefined && [THROUGH.name, ...THROUGH_STATES.keys()].some((name) => shown.includes(name))
          ? countsOf(call, rows, { by: through.by, counts: [THROUGH, ...THROUGH_STATES.values()] })
          : [],
      ]);
      return rows.map((row, index) => withStates({ ...row, ...ofObjects[index], ...ofServices[index] }));
    },
  };
}

/** When the own certificate of an authority expires, and whether that of an issuer has. */
interface AuthorityExpiry {
  readonly own: OwnExpiry | undefined;
  /** Number of certificates in use that clients reject because an issuer has expired. */
  readonly rejected: number;
}

/** Returns the view of authorities with the expiry of their own certificates; one more statement for a page. */
export function withOwnExpiry(view: View, { by, filter }: ObjectKind): View {
  const { columns, usual = [], withMore } = view;
  const at = usual.indexOf(COUNTS[0].name);
  const expiryOf = (row: AnyObject): AuthorityExpiry | null => row.ca_expires as AuthorityExpiry | null;
  const badge = (row: AnyObject): Html => (
    <a href={certificatesPath({ ...filter(row), ...EXPIRED_ISSUER })} class="badge bad">issuer expired</a>
  );
  const column: ColumnOf = {
    name: "ca_expires",
    label: "CA expires",
    needs: ["valid_to"],
    cell: (row) => {
      const expiry = expiryOf(row);
      if (expiry === null) return "";
      return expiry.rejected > 0 ? badge(row) : expiry.own && <Expiry row={{ ...expiry.own }} />;
    },
    under: (row) => {
      const expiry = expiryOf(row);
      if (expiry === null) return "";
      if (expiry.rejected > 0) return <Badge value="issuer expired" />;
      return expiry.own === undefined || expiry.own.expiry_status === "ok" ? "" : (
        <>
          CA <ExpiryBrief row={{ ...expiry.own }} />
        </>
      );
    },
    layout: ["p4", "leads"],
  };
  return {
    ...view,
    columns: columns.toSpliced(at, 0, column),
    usual: usual.toSpliced(at, 0, column.name),
    withMore: async (call, rows, shown) => {
      const [more, rejected] = await Promise.all([
        withMore?.(call, rows, shown) ?? rows,
        shown.includes("ca_expires") ? countsOf(call, rows, { by, counts: [REJECTED] }) : [],
      ]);
      return more.map((row, index) => {
        const expiry = { own: ownExpiry(call, row), rejected: rejected[index]?.[REJECTED.name] ?? 0 };
        return { ...row, ca_expires: expiry.own === undefined && expiry.rejected === 0 ? null : expiry };
      });
    },
  };
}

const REJECTED: Count = { name: "rejected", label: "Issuer expired", params: EXPIRED_ISSUER, tone: "bad" };

/**
 * Returns the numbers of each row; one statement for the page. Columns of states that no object has are left out, as
 * other empty columns are.
 */
async function countsOf(
  call: Call,
  rows: readonly AnyObject[],
  { by, counts }: { by: ObjectKind["by"]; counts: readonly Count[] },
): Promise<Readonly<Record<string, number | null>>[]> {
  const { ctx } = call;
  if (rows.length === 0 || !isGranted(ctx, "view", certificates.objectType)) return [];
  const filters = counts.map(({ params }) => listFilter(call, params));
  const found = await countByObject({ ctx, by, ids: rows.map(({ id }) => id), filters });
  return rows.map((row) => {
    const numbers = found.get(row.id) ?? [];
    return Object.fromEntries(counts.map(({ name, tone }, index) => {
      const number = numbers[index] ?? 0;
      return [name, (tone !== undefined || name === THROUGH.name) && number === 0 ? null : number];
    }));
  });
}

/** Returns a number of a row; null for none in a state, undefined if the user may not view certificates. */
function numberOf(row: AnyObject, { name }: Count): number | null | undefined {
  return row[name] as number | null | undefined;
}

function countText(number: number | null | undefined, { name, tone, label }: Count): string {
  if (number === undefined || number === null || number === 0) return "";
  if (name === THROUGH.name) return `${numberText(number)} ${label.toLowerCase()}`.replaceAll(" ", "\u00a0");
  // A narrow line must not break before the unit.
  if (tone !== undefined) return `${numberText(number)}\u00a0${label.toLowerCase()}`;
  return counted(number, "certificate").replace(" ", "\u00a0");
}

/** Returns the row so that a column of a state is not empty if only certificates of services are in it. */
function withStates(row: AnyObject): AnyObject {
  const states = [...THROUGH_STATES].filter(([name, { name: through }]) =>
    row[name] === null && row[through]
  );
  return states.length === 0 ? row : { ...row, ...Object.fromEntries(states.map(([name]) => [name, 0])) };
}

/** Renders the number of certificates of the services of a host that are in the state of a column. */
function ThroughLink(
  { row, count: { name }, through }: { row: AnyObject; count: Count; through: ObjectKind["through"] },
): Html | null {
  const count = THROUGH_STATES.get(name);
  const number = count && numberOf(row, count);
  if (count === undefined || through === undefined || !number) return null;
  return (
    <>
      {" "}
      <a href={certificatesPath({ ...through.filter(row), ...count.params })} class={`badge ${count.tone}`}>
        {numberText(number)} through services
      </a>
    </>
  );
}

/** Renders the numbers for the line under the name: those of states are colored. */
function CountTexts({ row, count }: { row: AnyObject; count: Count }): Html {
  const text = countText(numberOf(row, count), count);
  if (count.tone === undefined) return <>{text}</>;
  const ofServices = THROUGH_STATES.get(count.name);
  const through = ofServices === undefined ? "" : countText(numberOf(row, ofServices), ofServices);
  return (
    <>
      {text === "" ? null : <Badge value={text} tone={count.tone} />}
      {text === "" || through === "" ? null : " "}
      {through === "" ? null : <Badge value={`${through}\u00a0through\u00a0services`} tone={count.tone} />}
    </>
  );
}
