/** The requests that `bench:compare` sends to two checkouts: what both of them accept. */

import { encodePem } from "../../src/x509/mod.ts";
import { TestCa } from "../support/test_ca/mod.ts";
import type { App } from "../../src/app.ts";
import { DAY_MS } from "../../src/base/clock.ts";
import type { Row } from "../../src/db/mod.ts";
import { usualPems } from "./usual_pems.ts";

const LIST = "/api/plugins/certmgr/certificates/";

/** A request. The number from which it is made differs for each request of a run. */
export interface Asked {
  readonly path: string;
  /** Sent by POST. */
  readonly body?: unknown;
  /** A request before it that is not measured; the id in its response replaces `{id}` in the path. */
  readonly before?: Asked;
}

/** A kind of request. */
export interface Case {
  readonly request: (n: number) => Promise<Asked> | Asked;
  /** Sent once, before the first request. */
  readonly setup?: readonly Asked[];
  /** Number of requests that are sent at the same time; 1 by default. */
  readonly clients?: number;
  /** How many times as much work as a detail it is, roughly. A run has as many times fewer requests. */
  readonly weight?: number;
}

/** Returns the cases for an inventory of `count` generated certificates. */
export function casesOf(count: number): Record<string, Case> {
  const id = (n: number): number => (n * 7_919) % count + 1;
  const host = (n: number): string => (n * 31 % 1_000).toString().padStart(3, "0");
  const get = (path: (n: number) => string, weight = 4): Case => ({
    request: (n) => ({ path: path(n) }),
    weight,
  });
  const range = (n: number): string => `id__gt=${n % 500}&id__lte=${n % 500 + 1_000}`;
  const importOne = async (n: number): Promise<Asked> => ({
    path: `${LIST}import/`,
    body: { pem_content: (await usualPems(n, 1))[0]!.withChain },
  });
  return {
    "detail": get((n) => `${LIST}${id(n)}/`, 1),
    "contains": get((n) => `${LIST}?common_name__ic=${host(n)}`),
    "broad search": get(
      (n) => `${LIST}?q=example.com&limit=${n % 40 + 10}`,
      20,
    ),
    "list of 50": get((n) => `${LIST}?limit=50&offset=${n % 500}`),
    "status + tenant": get((n) => `${LIST}?status=active&tenant_id=${n % 200 + 1}`),
    "half-way offset": get((n) => `${LIST}?offset=${(count >> 1) + n % 500}`),
    "… by valid_to": get(
      (n) => `${LIST}?ordering=valid_to&offset=${(count >> 1) + n % 500}`,
      10,
    ),
    "list page": get(
      (n) => `/certificates/?ordering=valid_to&offset=${n % 500}`,
      20,
    ),
    "… of two statuses": get(
      (n) => `/certificates/?status=active&status=pending&expired=false&ordering=valid_to&offset=${n % 500}`,
      20,
    ),
    "dashboard": get(() => "/"),
    "GraphQL of 1,000": {
      request: (n) => ({
        path: "/graphql/",
        body: {
          query: `{ certificate_list(pagination: {limit: 1000, offset: ${n % 500}}) {
            id common_name valid_to days_remaining tenant { name } } }`,
        },
      }),
      weight: 20,
    },
    "export JSON": get((n) => `${LIST}export/?format=json&${range(n)}`, 20),
    "export CSV": get((n) => `${LIST}export/?format=csv&${range(n)}`, 20),
    "validate-chain": {
      request: async (n) => ({
        path: `${LIST}{id}/validate-chain/`,
        body: {},
        before: await signedChain(n),
      }),
      weight: 10,
    },
    "compliance of 100 × 4": {
      setup: [
        "min_key_size",
        "max_validity_days",
        "expiry_warning",
        "san_required",
      ].map((policy_type) => ({
        path: "/api/plugins/certmgr/compliance-policies/",
        body: { name: policy_type, policy_type },
      })),
      request: (n) => ({
        path: `${LIST}bulk-compliance-check/`,
        body: {
          certificate_ids: Array.from(
            { length: 100 },
            (_, place) => id(n * 100 + place),
          ),
        },
      }),
      weight: 40,
    },
    "import of a PEM with chain": { request: importOne, weight: 6 },
    "… by 4 clients": { request: importOne, weight: 6, clients: 4 },
    "100 PEMs": {
      request: async (n) => ({
        path: `${LIST}bulk-import/`,
        body: (await usualPems(1_000_000 + n * 100, 100)).map((
          { withChain },
        ) => ({
          pem_content: withChain,
        })),
      }),
      weight: 100,
    },
    "table of 100": {
      request: (n) => ({
        path: `${LIST}bulk-data-import/`,
        body: { format: "csv", content: table(n) },
      }),
      weight: 60,
    },
  };
}

/** Returns the import of a certificate whose chain is valid. */
async function signedChain(n: number): Promise<Asked> {
  const { root, issuing } = await (issuers ??= makeIssuers());
  const { der } = await issuing.issue({
    cn: `chain-${n}.example.com`,
    serial: 0x10_0000 + n,
    sans: [`chain-${n}.example.com`],
    notAfter: "2027-06-01",
  });
  const chain = [issuing, root].map((each) => encodePem(each.der)).join("");
  return {
    path: `${LIST}import/`,
    body: { pem_content: encodePem(der) + chain },
  };
}

/** Both checkouts get the same certificates, which are issued by the process that compares. */
let issuers: Promise<{ root: TestCa; issuing: TestCa }> | undefined;

async function makeIssuers(): Promise<{ root: TestCa; issuing: TestCa }> {
  const root = await TestCa.root({ cn: "Compared Root", notAfter: "2027-06-01" });
  return { root, issuing: await root.intermediate({ cn: "Compared CA", notAfter: "2027-06-01" }) };
}

/** Returns a table of a hundred rows. */
function table(n: number): string {
  const columns =
    "common_name,serial_number,issuer,valid_from,valid_to,fingerprint_sha256,algorithm,key_size,status";
  const rows = Array.from({ length: 100 }, (_, row) => {
    const digits = (n * 1_000 + row + 1).toString(16).padStart(12, "0");
    return `t-${digits}.example.com,AB${digits},CN=Table CA,2026-01-01,2027-01-01,${
      digits.padStart(64, "0")
    },rsa,2048,active`;
  });
  return `${columns}\n${rows.join("\n")}\n`;
}

/** The secret of the session with which pages are requested. */
export const SESSION_SECRET = "s".repeat(43);

/** Returns the row of that session. */
export function sessionRow(secretHash: string, now: number): Row {
  const times = { created: now, last_seen: now, expires: now + DAY_MS };
  return { user_id: 1, secret_hash: secretHash, csrf: SESSION_SECRET, address: "", user_agent: "", ...times };
}

/** Returns a function that sends a request to an application, and returns the body of the response. */
export function sender(app: App, key: string): (asked: Asked) => Promise<Uint8Array> {
  return async ({ path, body }) => {
    const headers: Record<string, string> = /^\/(api|graphql)\//.test(path)
      ? { authorization: `Token ${key}`, "content-type": "application/json" }
      : { cookie: `certmgr_session=${SESSION_SECRET}` };
    const request = new Request(`http://bench.test${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const response = await app.fetch(request, { remoteAddr: { hostname: "127.0.0.1" } });
    const bytes = await response.bytes();
    if (response.status < 300) return bytes;
    throw new Error(`${path}: ${response.status} ${new TextDecoder().decode(bytes).slice(0, 200)}`);
  };
}

/** Sends the request before another one, and returns the other one. */
export async function prepared(
  send: (asked: Asked) => Promise<Uint8Array>,
  asked: Asked,
): Promise<Asked> {
  if (asked.before === undefined) return asked;
  const { id } = JSON.parse(new TextDecoder().decode(await send(asked.before)));
  return { ...asked, path: asked.path.replace("{id}", id) };
}
