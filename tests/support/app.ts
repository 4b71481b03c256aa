/** Runs the application on a separate seeded database, with a fixed clock and a log that tests can read. */

import { type Context, flushTokenUses } from "../../src/auth/mod.ts";
import { type App, createApp } from "../../src/app.ts";
import type { AppOptions } from "../../src/app_options.ts";
import { MAX_BODY_BYTES } from "../../src/config/settings.ts";
import { createLogger } from "../../src/base/log.ts";
import { accessTokenVerifier } from "../../src/domain/accounts/oidc/on_demand.ts";
import { sendGuarded } from "../../src/http/send_guarded.ts";
import { type As, signIn } from "./actors.ts";
import { type TestClock, testClock, testContext } from "./context.ts";
import type { TestDatabase } from "./database.ts";
import { seededDatabase } from "./seed.ts";
import { TEST_NOW } from "./test_ca/mod.ts";

export const ORIGIN = "https://certmgr.example";
/** Default client address (RFC 5737). */
export const CLIENT_ADDRESS = "192.0.2.1";

/** One line of the log. */
export type LogLine = { level: string; event: string } & Record<string, unknown>;

/** A request. Its body is sent as JSON unless it is text, bytes or a form. */
export interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Address at the other end of the connection. */
  readonly from?: string;
}

/** Sends requests as one actor. */
export type Client = (path: string, ask?: Ask) => Promise<Response>;

/** Options of the application of a test. */
export type TestAppOptions =
  & Partial<Omit<AppOptions, "settings" | "clock" | "database">>
  & {
    settings?: Partial<AppOptions["settings"]>;
    /** Used instead of a seeded one, and removed with the application. */
    database?: TestDatabase;
  };

/** An application in a test. */
export interface TestApp extends AsyncDisposable {
  readonly app: App;
  readonly database: TestDatabase;
  readonly clock: TestClock;
  readonly log: LogLine[];
  /** The service's own context on this database. */
  readonly ctx: Context;
  /** Creates an actor if necessary, and returns their client. */
  as(actor: As): Promise<Client>;
}

/** `await using app = await testApp()`. */
export async function testApp(options: TestAppOptions = {}): Promise<TestApp> {
  const database = options.database ?? await seededDatabase();
  const clock = testClock(TEST_NOW);
  const log: LogLine[] = [];
  const identities = new Map<As, Record<string, string>>();
  const ctx = testContext({ database, clock });
  const settings = { ...ctx.settings, ...options.settings };
  const verifyAccessToken = accessTokenVerifier(settings.signIn.providers, {
    send: sendGuarded,
    settings,
    clock,
  });
  const app = createApp({
    database,
    clock,
    trustedProxies: [],
    corsOrigins: [],
    maxBodyBytes: MAX_BODY_BYTES,
    rateLimit: 0,
    log: createLogger({ level: "debug", now: clock.now, write: (line) => log.push(JSON.parse(line)) }),
    send: sendGuarded,
    ...(verifyAccessToken === undefined ? {} : { verifyAccessToken }),
    ...options,
    settings,
  });
  return {
    app,
    database,
    clock,
    log,
    ctx,
    async as(actor): Promise<Client> {
      const identity = identities.get(actor) ?? await signIn(database, actor, clock.now());
      identities.set(actor, identity);
      return (path, ask) =>
        app.fetch(requestOf(path, ask, identity), { remoteAddr: { hostname: addressOf(ask) } });
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await flushTokenUses(database);
      await database[Symbol.asyncDispose]();
    },
  };
}

function addressOf(ask: Ask = {}): string {
  return ask.from ?? CLIENT_ADDRESS;
}

/** Returns the request of an {@link Ask}; `path` may be a whole URL. */
export function requestOf(path: string, ask: Ask = {}, identity: Record<string, string> = {}): Request {
  const { method = "GET", body } = ask;
  const raw = body === undefined || typeof body === "string" || body instanceof FormData ||
    body instanceof Uint8Array || body instanceof ReadableStream;
  return new Request(new URL(path, ORIGIN), {
    method,
    headers: { ...identity, ...(raw ? {} : { "content-type": "application/json" }), ...ask.headers },
    ...(body === undefined ? {} : { body: (raw ? body : JSON.stringify(body)) as BodyInit }),
    redirect: "manual",
  });
}
