/** Endpoints in tests: an application whose probes return the results that a test sets. */

import type { ProbeAnswer, ProbeTarget } from "../../../src/probe/mod.ts";
import { type Client, type TestApp, testApp, type TestAppOptions } from "../../support/app.ts";
import { TestCa, type TestCertificate } from "../../support/test_ca/mod.ts";

/** Results of probes, by host. */
export class Servers {
  readonly #answers = new Map<string, readonly ProbeAnswer[]>();
  /** Hosts in the order probed. */
  readonly probed: string[] = [];

  /** Lets a host present certificates at one or more addresses. */
  serve(
    host: string,
    ...perAddress: readonly (readonly TestCertificate[])[]
  ): void {
    this.#answers.set(
      host,
      perAddress.map((certificates, index) => presenting(certificates, `192.0.2.${index + 1}`)),
    );
  }

  /** Sets the answers of a host. */
  answer(host: string, ...answers: readonly ProbeAnswer[]): void {
    this.#answers.set(host, answers);
  }

  readonly probe = ({ host }: ProbeTarget): Promise<readonly ProbeAnswer[]> => {
    this.probed.push(host);
    return Promise.resolve(this.#answers.get(host) ?? [UNREACHABLE]);
  };
}

/** The answer of a host without a server. */
export const UNREACHABLE: ProbeAnswer = {
  address: "192.0.2.9",
  latencyMs: null,
  failure: { kind: "unreachable", message: "The connection was refused." },
};

/** Returns the answer of a server that presents certificates. */
export function presenting(
  certificates: readonly TestCertificate[],
  address = "192.0.2.1",
  tlsVersion = "TLS 1.3",
): ProbeAnswer {
  return {
    address,
    latencyMs: 12,
    presented: {
      certificates: certificates.map(({ der }) => der),
      tlsVersion,
      cipher: "TLS_AES_128_GCM_SHA256",
      alpn: "",
      ocspStapled: false,
      possession: "proven",
    },
  };
}

/** An application with servers, an administrator, and a tracked root. */
export interface Site extends AsyncDisposable {
  readonly app: TestApp;
  readonly servers: Servers;
  readonly admin: Client;
  readonly root: TestCa;
  readonly ca: TestCa;
  /** Sends a request as the administrator and returns the body; fails for another status. */
  readonly ask: (
    path: string,
    body?: unknown,
    method?: string,
  ) => Promise<Record<string, unknown>>;
}

let authorities: Promise<{ root: TestCa; ca: TestCa }> | undefined;

async function makeAuthorities(): Promise<{ root: TestCa; ca: TestCa }> {
  const root = await TestCa.root({ cn: "Probe Root" });
  return { root, ca: await root.intermediate({ cn: "Probe CA" }) };
}

/** Starts the application: `await using site = await startSite()`. */
export async function startSite(options: TestAppOptions = {}): Promise<Site> {
  authorities ??= makeAuthorities();
  const { root, ca } = await authorities;
  const servers = new Servers();
  const app = await testApp({ probe: servers.probe, ...options });
  const admin = await app.as("superuser");
  const ask: Site["ask"] = async (
    path,
    body,
    method = body === undefined ? "GET" : "POST",
  ) => {
    const response = await admin(
      `/api/plugins/certmgr/${path}`,
      body === undefined ? { method } : { method, body },
    );
    const answer = response.status === 204 ? {} : await response.json();
    if (!response.ok) {
      throw new Error(
        `${method} ${path}: ${response.status} ${JSON.stringify(answer)}`,
      );
    }
    return answer;
  };
  await ask("certificate-authorities/", {
    name: "Probe Root",
    type: "internal",
    pem_content: root.pem,
  });
  return {
    app,
    servers,
    admin,
    root,
    ca,
    ask,
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

/** Creates an endpoint for a host and probes it. */
export async function probed(
  { ask }: Site,
  host: string,
  fields: Record<string, unknown> = {},
): Promise<Record<string, unknown>> {
  const { id } = await ask("endpoints/", { host, ...fields });
  return await ask(`endpoints/${id}/probe/`, {});
}
