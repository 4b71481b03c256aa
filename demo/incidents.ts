/** Two incidents: one that is over, and one whose deadline is near. */

import { sql } from "drizzle-orm";
import { DAY_MS, formatDatetime } from "../src/base/clock.ts";
import { incidents, keepIncidents } from "../src/domain/incidents/mod.ts";
import { createObject, updateObject } from "../src/resource/mod.ts";
import type { IssuerName } from "./issuers.ts";
import type { DemoState } from "./state.ts";

/** Days count from today, 0. */
const INCIDENTS: readonly {
  readonly opens: number;
  readonly closes?: number;
  readonly deadline: number;
  readonly issuer: IssuerName;
  readonly values: Readonly<Record<string, unknown>>;
}[] = [
  {
    opens: -80,
    closes: -20,
    deadline: -30,
    issuer: "letsencrypt-rsa",
    values: {
      name: "R12: domain validation was recorded incompletely",
      kind: "ca_revocation",
      description: "**Renew** each one before the authority revokes it.",
      source_url: "https://ca-incidents.example/r12",
    },
  },
  {
    opens: -3,
    deadline: 2,
    issuer: "digicert",
    values: {
      name: "The key of an intermediate of DigiCert may be known to others",
      kind: "key_compromise",
      description: "The authority revokes the intermediate within **five days**.",
      source_url: "https://ca-incidents.example/intermediate-key",
    },
  },
];

/** Opens, updates and closes the incidents on a day. */
export async function playIncidents(
  { ctx, people: { ines }, clock, issuers }: DemoState,
  day: number,
): Promise<void> {
  for (const { deadline, issuer, values } of INCIDENTS.filter((one) => one.opens === day)) {
    const criteria = {
      issuers: [issuers.get(issuer)?.ca.certificate.subject.text ?? ""],
      filter: "in_use=true",
    };
    const until = formatDatetime(clock.at + (deadline - day) * DAY_MS);
    await createObject({ ctx: ines, resource: incidents, input: { ...values, criteria, deadline: until } });
  }
  await keepIncidents({ ctx: { ...ctx, clock } });
  for (const { values } of INCIDENTS.filter((one) => one.closes === day)) {
    const [found] = await ctx.database.all<{ id: number }>(
      sql`SELECT id FROM incidents WHERE name = ${values.name}`,
    );
    const input = { status: "closed" };
    await updateObject({ ctx: ines, resource: incidents, id: found?.id ?? 0, input, mode: "patch" });
  }
}
