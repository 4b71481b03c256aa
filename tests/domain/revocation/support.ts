/** A host of revocation lists for tests, and certificates that name it. */

import { sql } from "drizzle-orm";
import { checkDue } from "../../../src/domain/revocation/job.ts";
import { sendGuarded } from "../../../src/http/send_guarded.ts";
import type { Context } from "../../../src/auth/mod.ts";
import type { TestApp } from "../../support/app.ts";
import { clear } from "../compliance/support.ts";

export type Handler = (request: Request) => Response | Promise<Response>;

/** A host that answers by path, and counts its requests. */
export interface ListHost extends AsyncDisposable {
  readonly origin: string;
  readonly answers: Map<string, Handler>;
  readonly requests: string[];
  /** Largest number of requests that it answered at the same time. */
  readonly most: () => number;
}

/** Starts a host on an address of its own. */
export function startHost(hostname = "127.0.0.1"): ListHost {
  const answers = new Map<string, Handler>();
  const requests: string[] = [];
  let [running, most] = [0, 0];
  const server = Deno.serve({ hostname, port: 0, onListen: () => {} }, async (request) => {
    const { pathname } = new URL(request.url);
    requests.push(`${request.method} ${pathname}`);
    most = Math.max(most, ++running);
    try {
      return await (answers.get(pathname) ?? (() => new Response(null, { status: 404 })))(request);
    } finally {
      running--;
    }
  });
  return {
    origin: `http://${hostname}:${server.addr.port}`,
    answers,
    requests,
    most: () => most,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Returns the service's context with a sender. */
export function sending(app: TestApp): Context {
  return { ...app.ctx, send: sendGuarded };
}

/** Deletes all certificates of the seed. */
export async function empty(app: TestApp): Promise<void> {
  await clear(app);
  await app.database.write((tx) =>
    tx.runAll([sql`DELETE FROM certificates`, sql`DELETE FROM revocation_lists`])
  );
}

/** Stores a certificate with its chain. Returns its id. */
export async function store(app: TestApp, pem: string, chain: string, more: object = {}): Promise<number> {
  const admin = await app.as("superuser");
  const response = await admin("/api/plugins/certmgr/certificates/", {
    method: "POST",
    body: { pem_content: pem, issuer_chain: chain, ...more },
  });
  const body = await response.json();
  if (response.status !== 201) throw new Error(JSON.stringify(body));
  return body.id;
}

/** Runs the job, and returns the state of a certificate as users see it. */
export async function checked(app: TestApp, id: number): Promise<Record<string, unknown>> {
  await checkDue({ ctx: sending(app) });
  return await stateOf(app, id);
}

export async function stateOf(app: TestApp, id: number): Promise<Record<string, unknown>> {
  const admin = await app.as("superuser");
  const fields = "status,revocation_status,revoked_at,revocation_reason,revocation_checked_at";
  return await (await admin(`/api/plugins/certmgr/certificates/${id}/?fields=${fields}`)).json();
}

/** Returns the evidence about a certificate, the newest first. */
export async function evidenceOf(app: TestApp, id: number): Promise<Record<string, unknown>[]> {
  const admin = await app.as("superuser");
  return (await (await admin(`/api/plugins/certmgr/revocation-checks/?certificate_id=${id}`)).json()).results;
}
