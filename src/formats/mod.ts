/** Text formats of exports: rows in, text out, as a stream. */

import { writeJson } from "./json.ts";

/** One format. */
export interface Format {
  readonly mediaType: string;
  readonly extension: string;
  readonly write: (
    rows: AsyncIterable<Record<string, unknown>>,
    fields: readonly string[],
  ) => AsyncIterable<string>;
}

/** The formats by name. */
export const FORMATS: Readonly<Record<string, Format>> = {
  json: { mediaType: "application/json", extension: "json", write: writeJson },
};
