/** A read-only connection whose statements run on a thread of the native library. */

import Native from "libsql/promise";
import type { BackgroundConnection } from "./background_reads.ts";
import type { Row } from "./database.ts";
import { BUSY_TIMEOUT_MS, MAX_BACKGROUND_STATEMENTS } from "./limits.ts";
import { materialized, ownFileOnly } from "./prepared_statements.ts";
import type { Statement } from "./render.ts";
import { fileFailure } from "./unavailable.ts";

type Prepared = Awaited<ReturnType<InstanceType<typeof Native>["prepare"]>>;

/** Opens a connection. `setup` contains its PRAGMAs. */
export function openBackgroundConnection(path: string, setup: string): BackgroundConnection {
  return new NativeConnection(path, setup);
}

class NativeConnection implements BackgroundConnection {
  readonly #native: InstanceType<typeof Native>;
  readonly #ready: Promise<unknown>;
  /**
   * All statements of this connection. None is dropped before the connection closes, because to free a
   * statement, the garbage collector, and with it everything else, would wait for the running one.
   */
  readonly #prepared = new Map<string, Prepared>();
  #closed = false;

  constructor(path: string, setup: string) {
    this.#native = new Native(path, { timeout: BUSY_TIMEOUT_MS });
    this.#ready = this.#native.exec(setup);
    this.#ready.catch(() => undefined);
  }

  get isWorn(): boolean {
    return this.#prepared.size > MAX_BACKGROUND_STATEMENTS;
  }

  async read(statements: readonly Statement[]): Promise<Row[][]> {
    try {
      await this.#ready;
      if (statements.length === 1) return await this.#readAll(statements);
      await this.#native.exec("BEGIN");
      try {
        return await this.#readAll(statements);
      } finally {
        await this.#native.exec("COMMIT");
      }
    } catch (error) {
      throw fileFailure(error) ?? error;
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#native.interrupt(); // interrupts nothing, but waits for the running statement
    this.#native.close();
  }

  async #readAll(statements: readonly Statement[]): Promise<Row[][]> {
    const results: Row[][] = [];
    for (const { sql, args } of statements) {
      if (this.#closed) throw new Error("The database is closed");
      const prepared = this.#prepared.get(sql) ?? await this.#native.prepare(materialized(ownFileOnly(sql)));
      this.#prepared.set(sql, prepared);
      results.push(await prepared.all(args) as Row[]);
    }
    return results;
  }
}
