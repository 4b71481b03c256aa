/** A JSON list, row by row. */

/** Writes rows as a JSON array, a row a line; the memory needed does not depend on how many there are. */
export async function* writeJson(rows: AsyncIterable<Record<string, unknown>>): AsyncGenerator<string> {
  let opened = false;
  for await (const row of rows) {
    yield `${opened ? ",\n" : "[\n"}${JSON.stringify(row)}`;
    opened = true;
  }
  yield opened ? "\n]\n" : "[]\n";
}
