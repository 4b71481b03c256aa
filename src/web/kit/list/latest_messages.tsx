/** The latest messages of a webhook or a channel. */

import { isGranted } from "../../../auth/mod.ts";
import type { Resource } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { Badge, type Html, Table, Time, truncate } from "../components/mod.ts";
import { objectPath } from "../../paths.ts";
import { readRows } from "./read_list.ts";

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
