/** Help about tables and limits of imports. */

import { listText, numberText, sizeText } from "../../../base/amounts.ts";
import { IMPORT_PREVIEW_MS, MAX_MEMBERS, MAX_PEM_TEXT_BYTES } from "../../../base/limits.ts";
import { OPTIONAL_COLUMNS, REQUIRED_COLUMNS } from "../../../domain/certificates/import/mod.ts";
import type { Call } from "../../call.ts";
import { type Html, Joined } from "../../kit/components/mod.ts";
import { labelOf } from "../../messages.ts";
import { ADD } from "./paths.ts";

/** Minutes until a preview expires. */
const KEPT_MINUTES = IMPORT_PREVIEW_MS / 60_000;

/** Renders help about tables and limits, and the templates. */
export function TableHelp({ call: { ctx } }: { call: Call }): Html {
  const { importFileMaxBytes, importMaxRows } = ctx.settings;
  return (
    <details class="box">
      <summary>Tables and limits</summary>
      <p>
        <a href={`${ADD}template.csv`} download>CSV template</a>{" "}
        <a href={`${ADD}template.json`} download>JSON template</a>
      </p>
      <p>
        Required columns: {inWords(REQUIRED_COLUMNS)}. Optional:{" "}
        {inWords(OPTIONAL_COLUMNS)}. Exports of this service can be imported unchanged.
      </p>
      <ul>
        <li>
          Headings are read in any case and by common other names, also by the names of the API; unknown ones
          can be assigned in the preview.
        </li>
        <li>
          Dates have the form <code>2026-12-31</code>. The algorithm is <code>rsa</code>, <code>ecdsa</code>,
          {" "}
          <code>ed25519</code> or{" "}
          <code>unknown</code>, also with its size (<code>RSA 2048</code>). A tenant is a name, a slug or an
          ID.
        </li>
        <li>
          In CSV, the subject alternative names (SANs) are separated by semicolons, commas or spaces; in JSON
          they are a list.
        </li>
        <li>
          At most {sizeText(importFileMaxBytes)} and {numberText(importMaxRows)} rows in a table;{" "}
          {sizeText(MAX_PEM_TEXT_BYTES)} and {numberText(MAX_MEMBERS)}{" "}
          certificates in files, each of which becomes a separate record.
        </li>
      </ul>
      <details>
        <summary>Names in the API</summary>
        <p>
          <NameList names={[...REQUIRED_COLUMNS, ...OPTIONAL_COLUMNS]} />
        </p>
      </details>
      <p class="faint">Only you can see your previews. They expire after {KEPT_MINUTES} minutes.</p>
    </details>
  );
}

/** Lists columns by their labels: "Common name, Serial number and Issuer". */
function inWords(names: readonly string[]): string {
  return listText(names.map(labelOf));
}

function NameList({ names }: { names: readonly string[] }): Html {
  return <Joined items={names.map((name) => <code>{name}</code>)} last=" and " />;
}
