/** What the PEM says a certificate is for, and with which algorithms. */

import { sql } from "drizzle-orm";
import { z } from "zod";
import { choice, columnOf, type Field, json, text } from "../../resource/mod.ts";
import { KINDS, USAGES } from "../../x509/mod.ts";

/** Returns the fields `usages`, `kind`, `key_algorithm` and `signature_algorithm`. */
export function usageFields(): Field[] {
  const usages = json("usages", {
    description:
      "What the certificate may be used for: its extended key usages, `ca` for an authority, `any` without limits. " +
      "Empty without PEM.",
    schema: z.array(z.enum(USAGES)),
    readOnly: true,
  });
  return [
    {
      ...usages,
      filters: {
        usage: {
          kind: "predicate",
          type: "choice",
          choices: USAGES,
          condition: (usage, { alias }) => sql`instr(${columnOf(alias, "usages")}, ${`"${usage}"`}) > 0`,
        },
      },
    },
    choice("kind", {
      description:
        "What it is mainly for: `ca` for an authority, `server` also if nothing is known, `client` for client " +
        "authentication only.",
      choices: KINDS,
      readOnly: true,
    }),
    text("key_algorithm", {
      description:
        "Algorithm of the public key in the words of the RFCs (`RSA`, `P-256`, `ML-DSA-65`); empty without PEM.",
      readOnly: true,
    }),
    text("signature_algorithm", {
      description: "Algorithm of the signature (`ecdsa-with-SHA384`); empty without PEM.",
      readOnly: true,
    }),
  ];
}
