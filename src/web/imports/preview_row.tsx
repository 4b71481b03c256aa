/** One row of a preview, with its cells as they are. */

import { readPreviewRow } from "../../domain/certificates/import_preview/mod.ts";
import { assetPath } from "../assets/mod.ts";
import type { Call } from "../call.ts";
import { Badge, type Html } from "../components/mod.ts";
import { entryPosition, withPositions } from "../messages.ts";
import { page } from "../shell/mod.ts";
import { BULK, previewPath } from "./paths.ts";

/** Shows all cells of a row whole, however long, with what is wrong with each. */
export async function showRow(call: Call): Promise<Response> {
  const key = call.params.key ?? "";
  const place = Number(call.params.place);
  const row = await readPreviewRow({ ctx: call.ctx, key, place });
  const cells = new Map(row.whole.map(({ column, text }) => [column, text]));
  const names = [...new Set([...cells.keys(), ...Object.keys(row.messages)])].filter((one) =>
    one !== "__all__"
  );
  const general = row.messages.__all__ ?? [];
  return page(
    call,
    {
      title: `Row ${place.toLocaleString("en")}`,
      above: [["Certificates", "/certificates/"], ["Bulk import", BULK], ["Preview", previewPath(key)]],
    },
    <>
      <link rel="stylesheet" href={assetPath("imports.css")} />
      {general.length === 0
        ? null
        : <p class={row.status === "error" ? "flash error" : "flash info"}>{general.join(" ")}</p>}
      {row.status === "error" && general.length === 0
        ? (
          <p>
            <Badge value="error" />
          </p>
        )
        : null}
      <div class="box">
        <dl class="cells">
          {names.map((name) => (
            <WholeCell name={name} text={cells.get(name)} messages={row.messages[name] ?? []} />
          ))}
        </dl>
      </div>
    </>,
  );
}

function WholeCell(
  { name, text, messages }: { name: string; text: string | undefined; messages: readonly string[] },
): Html {
  return (
    <div>
      <dt>
        <code>{name}</code>
      </dt>
      <dd>
        {text === undefined || text === ""
          ? <span class="faint">empty</span>
          : <pre dir="auto" tabindex={0} aria-label={name}>{text}</pre>}
        {messages.length === 0
          ? null
          : <small class="error">{withPositions(messages, entryPosition).join(" ")}</small>}
      </dd>
    </div>
  );
}
