/** An application with an empty database, at the time of the examples. */

import { flushTokenUses } from "../../src/auth/mod.ts";
import { createApp } from "../../src/app.ts";
import { MAX_BODY_BYTES } from "../../src/config/settings.ts";
import { signIn } from "../support/actors.ts";
import { requestOf } from "../support/app.ts";
import { testClock, testContext } from "../support/context.ts";
import { testDatabase } from "../support/database.ts";
import type { Example } from "./examples.ts";

/** The current time in the examples. */
export const DAY = Date.UTC(2026, 10, 22, 12);

/** An answer. */
export interface Answered {
  readonly status: number;
  readonly text: string;
}

/** Runs `work` with a function that sends examples, as the first administrator unless an example has its own token. */
export async function withService<T>(
  work: (send: (example: Example) => Promise<Answered>) => Promise<T>,
): Promise<T> {
  await using database = await testDatabase();
  const clock = testClock(DAY);
  const { settings, log } = testContext({ database, clock });
  const app = createApp({
    database,
    clock,
    log,
    settings,
    trustedProxies: [],
    corsOrigins: [],
    maxBodyBytes: MAX_BODY_BYTES,
    rateLimit: 0,
  });
  const identity = await signIn(database, "superuser", DAY);
  const names = new Map<string, string>();
  const result = await work(async ({ method, path, headers, body }) => {
    const given = Object.fromEntries(
      Object.entries(headers).map((
        [name, value],
      ) => [name.toLowerCase(), value.replace(/\$\w+/, (one) => names.get(one) ?? one)]),
    );
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const response = await app.fetch(
      requestOf(`https://certs.example.com${path}`, {
        method,
        headers: { ...identity, ...type, ...given },
        ...(body === undefined ? {} : { body }),
      }),
      { remoteAddr: { hostname: "192.0.2.1" } },
    );
    const text = await response.text();
    if (path.endsWith("/tokens/provision/")) names.set("$JO_TOKEN", JSON.parse(text).key);
    return { status: response.status, text };
  });
  await flushTokenUses(database);
  return result;
}
