/** A browser without scripts that signs in by the form, as far as tests of second factors need one. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { totpCode } from "../../src/domain/accounts/second_factors/authenticator_app.ts";
import { seedUser, type UserSeed } from "../support/accounts.ts";
import { ORIGIN, type TestApp, testApp, type TestAppOptions } from "../support/app.ts";
import { quickHash } from "../support/quick_hash.ts";

export const PASSWORD = "correct horse battery";

/** The response of a page. */
export interface Answer {
  readonly status: number;
  readonly html: string;
  readonly location: string;
}

/** A browser, which keeps its cookies. */
export class Visitor {
  readonly #app: TestApp;
  readonly #cookies = new Map<string, string>();
  csrf = "";

  constructor(app: TestApp) {
    this.#app = app;
  }

  /** Returns its cookies as a header. */
  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  async get(path: string): Promise<Answer> {
    return await this.#send(path, {});
  }

  async post(path: string, fields: Readonly<Record<string, string>>): Promise<Answer> {
    return await this.#send(path, {
      method: "POST",
      body: new URLSearchParams({ csrf: this.csrf, ...fields }),
    });
  }

  /** Posts the password; the second step may follow. */
  async enter(username: string, password = PASSWORD): Promise<Answer> {
    const answer = await this.post("/sign-in/", { username, password });
    await this.readToken();
    return answer;
  }

  /** Reads the token of the session's forms. */
  async readToken(): Promise<void> {
    const { html } = await this.get("/profile/security/");
    this.csrf = /name="csrf" value="([^"]*)"/.exec(html)?.[1] ?? "";
  }

  async #send(path: string, init: RequestInit): Promise<Answer> {
    const response = await this.#app.app.fetch(
      new Request(new URL(path, ORIGIN), {
        ...init,
        headers: { cookie: this.cookie, "user-agent": "Test/1" },
      }),
      { remoteAddr: { hostname: "192.0.2.1" } },
    );
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === "") this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return {
      status: response.status,
      html: await response.text(),
      location: response.headers.get("location") ?? "",
    };
  }
}

/** Returns an application with the user `ann`, who has a password. */
export async function withAnn(options: TestAppOptions = {}, seed: UserSeed = {}): Promise<TestApp> {
  const app = await testApp(options);
  await addUser(app, "ann", seed);
  return app;
}

/** Adds a user with {@link PASSWORD}. */
export async function addUser(app: TestApp, username: string, seed: UserSeed = {}): Promise<number> {
  return await seedUser(app.ctx, username, {
    password_hash: quickHash(PASSWORD),
    ...seed,
  });
}

/** Sets up an authenticator app on the pages, and returns its secret and the recovery codes. */
export async function setUpApp(app: TestApp, visitor: Visitor): Promise<{ secret: string; codes: string[] }> {
  const shown = await visitor.post("/profile/security/app/", { current: PASSWORD });
  assert.equal(shown.status, 200, shown.html);
  const setup = /name="setup" value="([^"]+)"/.exec(shown.html)?.[1] as string;
  const secret = (/aria-label="Key"[^>]*>([A-Z2-7 ]+)</.exec(shown.html)?.[1] as string).replaceAll(" ", "");
  const done = await visitor.post("/profile/security/app/", { setup, code: codeAt(app, secret) });
  assert.equal(done.status, 200, done.html);
  const codes = /aria-label="Recovery codes"[^>]*>([^<]+)</.exec(done.html)?.[1]?.split("\n") ?? [];
  return { secret, codes };
}

/** Returns the code of the app; `steps` of 30 seconds later or earlier. */
export function codeAt({ clock }: TestApp, secret: string, steps = 0): string {
  return totpCode(secret, Math.floor(clock.now() / 30_000) + steps);
}

/** Returns the events of the audit log with their details, oldest first. */
export async function auditOf({ database }: TestApp, username = "ann"): Promise<string[]> {
  const rows = await database.all<{ event: string; detail: string }>(
    sql`SELECT event, detail FROM audit_events WHERE username = ${username} ORDER BY id`,
  );
  return rows.map(({ event, detail }) => detail === "" ? event : `${event}: ${detail}`);
}
