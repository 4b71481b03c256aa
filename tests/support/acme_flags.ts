/** Stores ACME flags that no detection has set, as an earlier release may have stored them. */

import { sql } from "drizzle-orm";
import type { TestApp } from "./app.ts";

/** Sets a certificate's ACME flags to those of `provider`, or clears them without one. */
export async function setFlags({ database }: TestApp, id: number, provider = ""): Promise<void> {
  await database.write((tx) =>
    tx.run(
      sql`UPDATE certificates SET is_acme = ${
        Number(provider !== "")
      }, acme_provider = ${provider} WHERE id = ${id}`,
    )
  );
}
