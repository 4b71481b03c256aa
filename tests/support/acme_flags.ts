/** ACME flags as no detection has left them: what an earlier release may have stored. */

import { sql } from "drizzle-orm";
import type { TestApp } from "./app.ts";

/** Sets a certificate's ACME flags to those of `provider`; takes them away without one. */
export async function setFlags({ database }: TestApp, id: number, provider = ""): Promise<void> {
  await database.write((tx) =>
    tx.run(
      sql`UPDATE certificates SET is_acme = ${
        Number(provider !== "")
      }, acme_provider = ${provider} WHERE id = ${id}`,
    )
  );
}
