/** Columns of the list of channels: where messages go, how many subscriptions use it, and the last message. */

import { isGranted } from "../../../auth/mod.ts";
import { type Channel, notificationDeliveries, subscriptions } from "../../../domain/notices/mod.ts";
import { countByReference } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { type Content, CountLink } from "../../kit/components/mod.ts";
import { lastMessageColumn, type View, withLastMessages } from "../../kit/mod.ts";

/** Returns where the messages of a channel go, without what is secret. */
function addressOf({ settings }: Pick<Channel, "settings">): string {
  const { url, topic, channel, from } = settings;
  return [url, topic ?? channel, from].filter((part) => part !== undefined && part !== "").join(" ");
}

type ListedChannel = Channel & { readonly address?: string; readonly subscriptions?: number | undefined };

const COLUMNS: View<ListedChannel>["columns"] = [
  "kind",
  {
    name: "address",
    needs: ["settings"],
    cell: (row): Content => <bdi>{addressOf(row)}</bdi>,
    under: (row) => addressOf(row) === "" ? "" : <bdi>{addressOf(row)}</bdi>,
    layout: ["p2", "share"],
  },
  {
    name: "subscriptions",
    layout: ["number", "p2"],
    cell: (row) => (
      <CountLink
        number={row.subscriptions}
        path={`/subscriptions/?channel_id=${row.id}`}
      />
    ),
    under: ({ subscriptions: count }) =>
      typeof count === "number" && count > 0
        ? `${count}\u00a0${count === 1 ? "subscription" : "subscriptions"}`
        : "",
  },
  lastMessageColumn(notificationDeliveries),
  "enabled",
];

/** The columns, and what they read: at most two statements for the page. */
export const channelColumns: Pick<View<ListedChannel>, "columns" | "withMore"> = {
  columns: COLUMNS,
  withMore: async (call: Call, rows, shown) => {
    const { ctx } = call;
    const ids = rows.map(({ id }) => id);
    const isCounted = shown.includes("subscriptions") && isGranted(ctx, "view", subscriptions.objectType);
    const [counts, withLast] = await Promise.all([
      isCounted ? countByReference({ ctx, resource: subscriptions, field: "channel", ids }) : undefined,
      withLastMessages(call, rows, { deliveries: notificationDeliveries, sender: "channel", shown }),
    ]);
    return withLast.map((row) => ({
      ...row,
      address: addressOf(row),
      subscriptions: counts && (counts.get(row.id) ?? 0),
    }));
  },
};
