/** Open previews of the user, so that a closed window does not lose them. */

import { numberText } from "../../../base/amounts.ts";
import { formatDatetime } from "../../../base/clock.ts";
import { type PreviewHead, totalOf } from "../../../domain/certificates/import_preview/mod.ts";
import type { Call } from "../../call.ts";
import { Form, type Html, Table, Time } from "../../kit/components/mod.ts";
import { PreviewCounts } from "./preview_actions.tsx";
import { previewPath } from "./paths.tsx";

/** Renders a list; nothing if there are none. */
export function OpenPreviews(
  { call, previews }: { call: Call; previews: readonly PreviewHead[] },
): Html | null {
  if (previews.length === 0) return null;
  return (
    <section class="open-previews" aria-labelledby="previews">
      <h2 id="previews">Your previews</h2>
      <Table
        caption="Your previews"
        rows={previews.map((preview) => ({ ...preview, id: preview.key }))}
        columns={[
          {
            label: "Created",
            cell: (row) => (
              <a href={previewPath(row.key)}>
                <Time at={formatDatetime(row.created)} />
              </a>
            ),
          },
          {
            label: "Rows",
            layout: ["number", "p2"],
            cell: (row) => numberText(totalOf(row)),
          },
          { label: "Result", cell: (row) => <PreviewCounts preview={row} /> },
          { label: "Expires", layout: ["p2"], cell: (row) => <Time at={formatDatetime(row.expires)} /> },
          {
            label: "Actions",
            layout: ["hidden-label"],
            cell: (row) => (
              <Form call={call} action={`${previewPath(row.key)}discard/`} class="inline">
                <button type="submit" class="secondary small">Discard</button>
              </Form>
            ),
          },
        ]}
      />
    </section>
  );
}
