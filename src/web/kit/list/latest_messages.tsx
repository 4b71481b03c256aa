/** The latest messages of a webhook or a channel. */

import { isGranted } from "../../../auth/mod.ts";
import { latestDeliveries, type LatestDelivery } from "../../../domain/webhooks/deliveries/mod.ts";
import type { AnyObject, Resource } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { Badge, type Content, type Html, Table, Time, truncate } from "../components/mod.ts";
import { objectPath } from "../../paths.ts";
import { readRows } from "./read_list.ts";
import type { ColumnOf } from "../view.ts";

/** Number of messages on the page of their sender. */
const LATEST = 5;

/** Renders the latest messages and their results; a script loads them again while one is being sent. */
export async function latestMessages(
  call: Call,
  deliveries: Resource,
  filter: Readonly<Record<string, number>>,
): Promise<Html | null> {
  if (!isGranted(call.ctx, "view", deliveries.objectType)) return null;
  const { rows } = await readRows(call.ctx, deliveries, {
    params: { ...filter, limit: LATEST },
    fields: ["id", "created", "event", "state", "response_status", "duration_ms", "error"],
  });
  if (rows.length === 0) return null;
  const sending = rows.some(({ state, error }) => state === "pending" && error === "");
  return (
    <section
      id="messages"
      aria-labelledby="latest-messages"
      aria-live="polite"
      data-refresh={sending ? "" : undefined}
    >
      <h2 id="latest-messages">Latest messages</h2>
      <Table
        caption="Latest messages"
        rows={rows}
        columns={[
          {
            label: "Time",
            cell: (row) => (
              <a href={objectPath(deliveries, row.id)}>
                <Time at={String(row.created)} />
              </a>
            ),
          },
          { label: "Event", cell: ({ event }) => String(event).replaceAll("_", " "), layout: ["p2"] },
          { label: "State", cell: ({ state }) => <Badge value={String(state)} /> },
          {
            label: "Result",
            cell: ({ response_status: status, duration_ms: duration, error }) =>
              error !== ""
                ? <bdi>{truncate(String(error), ERROR_CHARS)}</bdi>
                : status === null
                ? ""
                : `${status} after ${duration} ms`,
          },
        ]}
      />
    </section>
  );
}

/** Maximum characters of an error in the list of messages. */
const ERROR_CHARS = 200;

/** The member of a row with its last message. */
const LAST = "last_delivery";

/** Returns the column with the time and the state of the last message of a webhook or a channel. */
export function lastMessageColumn(deliveries: Resource): ColumnOf {
  const cell = ({ [LAST]: last }: AnyObject): Content => {
    if (last === undefined) return "";
    const { id, state, created } = last as LatestDelivery;
    return (
      <>
        <a href={objectPath(deliveries, id)}>
          <Time at={created} />
        </a>{" "}
        <Badge value={state} />
      </>
    );
  };
  return { name: LAST, label: "Last message", cell, under: cell };
}

/** Adds the last messages to rows, if the list shows them and the user may view some. At most one statement. */
export async function withLastMessages<Row extends AnyObject>(
  { ctx }: Call,
  rows: readonly Row[],
  { deliveries, sender, shown }: {
    deliveries: Resource;
    sender: "webhook" | "channel";
    shown: readonly string[];
  },
): Promise<readonly Row[]> {
  if (!shown.includes(LAST) || !isGranted(ctx, "view", deliveries.objectType)) return rows;
  const latest = await latestDeliveries(ctx, { deliveries, sender, ids: rows.map(({ id }) => id) });
  return rows.map((row) => ({ ...row, [LAST]: latest.get(row.id) }));
}
