/** Reads again only after a commit what several pages show in the same way: the choices of filters, saved views. */

import { perDatabase } from "../../db/mod.ts";
import { responseVersion } from "../../resource/mod.ts";
import type { Call } from "../call.ts";

/** Maximum number of results that a process keeps for a database; each has about a hundred short texts at most. */
const MAX_RESULTS = 200;

const resultsOf = perDatabase(() => new Map<string, { readonly result: unknown }>());

/**
 * Returns the result of `read`, which must depend only on the key, the caller and committed rows. The oldest results
 * are dropped first. At most one additional statement, after a commit.
 */
export async function unchangedRead<Result>(
  { ctx }: Call,
  key: string,
  read: () => Promise<Result>,
): Promise<Result> {
  const version = await responseVersion(ctx, { uses: false });
  if (version === undefined) return await read();
  const results = resultsOf(ctx.database);
  const known = results.get(`${key} ${version}`);
  if (known !== undefined) return known.result as Result;
  const result = await read();
  results.set(`${key} ${version}`, { result });
  if (results.size > MAX_RESULTS) results.delete(results.keys().next().value as string);
  return result;
}
