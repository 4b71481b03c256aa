/** Columns of the list of channels: where messages go, how many subscriptions use it, and the last message. */

import { isGranted } from "../../auth/mod.ts";
import {
  channels,
  latestDeliveries,
  type LatestDelivery,
  notificationDeliveries,
  subscriptions,
} from "../../domain/notices/mod.ts";
import { countByReference } from "../../resource/mod.ts";
import type { Call } from "../call.ts";
import { Badge, type Content, CountLink, type Html, Time } from "../components/mod.ts";
import type { AddedColumn, ApiObject, View } from "../objects/mod.ts";
import { objectPath } from "../paths.ts";

/** Returns where the messages of a channel go, without what is secret. */
function addressOf({ settings }: ApiObject): string {
  const { url, topic, channel, from } = settings as Readonly<Record<string, string>>;
  return [url, topic ?? channel, from].filter((part) => part !== undefined && part !== "").join(" ");
}

const ADDED: Readonly<Record<string, AddedColumn>> = {
  address: {
    label: "Address",
    needs: ["settings"],
    cell: (row): Content => <bdi>{addressOf(row)}</bdi>,
    under: (row) => addressOf(row) === "" ? "" : <bdi>{addressOf(row)}</bdi>,
    width: "share",
    priority: 2,
  },
  subscriptions: {
    label: "Subscriptions",
    align: "end",
    cell: (row) => (
      <CountLink
        number={row.subscriptions as number | undefined}
        path={`/subscriptions/?channel_id=${row.id}`}
      />
    ),
    under: ({ subscriptions: count }) =>
      typeof count === "number" && count > 0
        ? `${count}\u00a0${count === 1 ? "subscription" : "subscriptions"}`
        : "",
  },
  last_delivery: {
    label: "Last message",
    cell: lastCell,
    under: lastCell,
    priority: 2,
  },
};

function lastCell({ last_delivery: last }: ApiObject): Content {
  return last === undefined ? "" : <Last delivery={last as LatestDelivery} />;
}

function Last({ delivery: { id, state, created } }: { delivery: LatestDelivery }): Html {
  return (
    <>
      <a href={objectPath(notificationDeliveries, id)}>
        <Time at={created} />
      </a>{" "}
      <Badge value={state} />
    </>
  );
}

/** The columns, and what they read: at most two statements for the page. */
export const channelColumns: Pick<View, "columns" | "added" | "withMore"> = {
  columns: ["kind", "address", "subscriptions", "last_delivery", "enabled"],
  added: ADDED,
  withMore: async ({ ctx }: Call, rows, shown) => {
    const ids = rows.map(({ id }) => id);
    const shows = (column: string, { objectType }: typeof channels): boolean =>
      shown.includes(column) && isGranted(ctx, "view", objectType);
    const [counts, latest] = await Promise.all([
      shows("subscriptions", subscriptions)
        ? countByReference({ ctx, resource: subscriptions, field: "channel", ids })
        : undefined,
      shows("last_delivery", notificationDeliveries) ? latestDeliveries(ctx, ids) : undefined,
    ]);
    return rows.map((row) => ({
      ...row,
      address: addressOf(row),
      subscriptions: counts && (counts.get(row.id) ?? 0),
      last_delivery: latest?.get(row.id),
    }));
  },
};
