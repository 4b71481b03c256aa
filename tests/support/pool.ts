/**
 * Lends applications to tests. An application that the same actor has used before, and to whose database nothing has
 * been written since, is equivalent to a new one, but available much faster.
 */

import type { As } from "./actors.ts";
import { type Client, type TestApp, testApp, type TestAppOptions } from "./app.ts";
import { writtenBytes } from "./store.ts";

/** An application on loan. */
export interface Lent extends AsyncDisposable {
  readonly app: TestApp;
  readonly client: Client;
  /** Number of bytes that had been written to the database when it was lent. */
  readonly written: number;
}

/** Requirements of a test. An application with options or preparations is not shared. */
export interface LendOptions {
  readonly as: As;
  readonly app?: TestAppOptions | undefined;
  readonly before?: ((app: TestApp) => Promise<void> | void) | undefined;
}

/** Maximum number of unused applications; each keeps some files open. */
const MAX_UNUSED = 24;

const kept = new Map<string, Lent>();

/** Lends an application: `await using lent = await lend({ as: "superuser" })`. */
export async function lend({ as, app: options, before }: LendOptions): Promise<Lent> {
  const own = options !== undefined || before !== undefined;
  const key = JSON.stringify(as);
  const known = own ? undefined : kept.get(key);
  if (known !== undefined) {
    kept.delete(key);
    return known;
  }
  const app = await testApp(options);
  const client = await app.as(as);
  await before?.(app);
  const written = await writtenBytes(app.database);
  const lent: Lent = {
    app,
    client,
    written,
    async [Symbol.asyncDispose](): Promise<void> {
      app.log.length = 0;
      if (own || await writtenBytes(app.database) !== written) return await app[Symbol.asyncDispose]();
      kept.set(key, lent);
      const [oldest] = kept;
      if (kept.size <= MAX_UNUSED || oldest === undefined) return;
      kept.delete(oldest[0]);
      await oldest[1].app[Symbol.asyncDispose]();
    },
  };
  return lent;
}

globalThis.addEventListener("unload", () => {
  for (const { app } of kept.values()) app.database.removeSync();
});
