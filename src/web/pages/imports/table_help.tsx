/** Help about tables and limits of imports, and a template of tables. */

import { listText, numberText, sizeText } from "../../../base/amounts.ts";
import { download } from "../../../base/download.ts";
import { IMPORT_PREVIEW_MS, MAX_MEMBERS, MAX_PEM_TEXT_BYTES } from "../../../base/limits.ts";
import { OPTIONAL_COLUMNS, REQUIRED_COLUMNS } from "../../../domain/certificates/import/mod.ts";
import { type ExportValue, FORMATS } from "../../../formats/mod.ts";
import type { Certificate } from "../../../domain/certificates/mod.ts";
import type { NameOf } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import type { Html } from "../../kit/components/mod.ts";
import { labelOf } from "../../messages.ts";
import { ADD } from "./paths.tsx";

/** Minutes until a preview expires. */
const KEPT_MINUTES = IMPORT_PREVIEW_MS / 60_000;

/** Renders help about tables and limits, and the template. */
export function TableHelp({ call: { ctx } }: { call: Call }): Html {
  const { importFileMaxBytes, importMaxRows } = ctx.settings;
  return (
    <details class="box">
      <summary>Tables and limits</summary>
      <p>
        <a href={`${ADD}template.csv`} download>CSV template</a>
      </p>
      <p>
        Complete certificates have the columns{" "}
        {listText(REQUIRED_COLUMNS.map(labelOf))}. With a name and an expiry only, a row is “known from a
        list” until its certificate is uploaded or found. Optional:{" "}
        {listText(OPTIONAL_COLUMNS.map(labelOf))}. Exports of this service can be imported unchanged.
      </p>
      <ul>
        <li>
          Headings are read in any case and by common other names, also by the names of the API; unknown ones
          can be assigned in the preview.
        </li>
        <li>
          Dates are read as <code>2026-12-31</code>, <code>31.12.2026</code>{" "}
          and in other usual forms; the preview asks which of two days is meant. The algorithm is{" "}
          <code>rsa</code>, <code>ecdsa</code>, <code>ed25519</code> or{" "}
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
      <p class="faint">Only you can see your previews. They expire after {KEPT_MINUTES} minutes.</p>
    </details>
  );
}

/** The example row. */
const EXAMPLE = {
  common_name: "www.example.com",
  serial_number: "0A:1B:2C:3D",
  issuer: "C=US, O=Example CA, CN=Example Issuing CA",
  valid_from: "2026-01-01",
  valid_to: "2026-12-31",
  fingerprint_sha256: Array(32).fill("A1").join(":"),
  algorithm: "rsa",
  key_size: 2048,
  status: "active",
  sans: ["www.example.com", "example.com"],
  tenant: null,
  private_key_location: "vault: pki/www",
} satisfies Partial<Record<NameOf<Certificate>, ExportValue>>;

export async function csvTemplate({ ctx }: Call): Promise<Response> {
  const { mediaType, writer } = FORMATS.csv;
  const { begin, rows } = writer(Object.keys(EXAMPLE));
  const text = ReadableStream.from([begin, ...rows([EXAMPLE], 0)]);
  return await download(ctx, { mediaType, fileName: "certificates.csv", text });
}
