/** Sends requests of an operation to an application, and validates each response by the API document. */

import Ajv from "ajv/dist/2020.js";
import fc from "fast-check";
import type { Operation } from "../../src/rest/mod.ts";
import { readNetwork } from "../../src/auth/mod.ts";
import { parseDatetime } from "../../src/base/clock.ts";
import { readHost, readHostName } from "../../src/base/host_name.ts";
import { isMailAddress } from "../../src/base/mail_address.ts";
import { webUrlFault } from "../../src/base/web_url.ts";
import { auditor, managerOf, stranger } from "../support/actors.ts";
import { type Client, type TestApp, testApp } from "../support/app.ts";
import { document, violations } from "../support/contract.ts";
import { cpuMillis } from "../support/cpu_time.ts";
import { unexplained } from "./refusals.ts";
import { bodySchema, type Case, casesOf, type Role, ROLES } from "./request_arbitrary.ts";

/** Maximum processor time of a request, in milliseconds. */
const MAX_MS = 1_000;
/** Number of requests to one application before a new one is used, in which deleted objects exist again. */
const CASES_PER_APP = 100;

/** A case and the error of its response. */
export interface Failure {
  readonly operationId: string;
  readonly fault: string;
  readonly request: Case;
}

const ajv = new Ajv.default({ strict: false, allErrors: false });
ajv.addFormat("date-time", (text: string) => parseDatetime(text) !== undefined);
ajv.addFormat("ip-network", (text: string) => "network" in readNetwork(text));
ajv.addFormat("host", (text: string) => readHost(text) !== undefined);
ajv.addFormat("hostname", (text: string) => readHostName(text) !== undefined);
ajv.addFormat("email", isMailAddress);
ajv.addFormat("date", /^\d{4}-\d{2}-\d{2}$/);
ajv.addFormat("uri", (text: string) => webUrlFault(text) === undefined);
ajv.addFormat("binary", true);
ajv.addSchema(document, "document");

/** Returns whether the document allows a body. */
function allows(operation: Operation, body: unknown): boolean {
  let validate = validators.get(operation.operationId);
  if (validate === undefined) {
    const schema = JSON.stringify(bodySchema(operation)).replaceAll('"#/components', '"document#/components');
    validators.set(operation.operationId, validate = ajv.compile(JSON.parse(schema)));
  }
  return validate(body) === true;
}

const validators = new Map<string, (value: unknown) => unknown>();

/** Runs cases of an operation, which depend on the seed. */
export async function runCases(
  operation: Operation,
  { cases, seed }: { cases: number; seed: number },
): Promise<Failure[]> {
  const failures: Failure[] = [];
  const requests = fc.sample(casesOf(operation), { numRuns: cases, seed });
  for (let start = 0; start < requests.length; start += CASES_PER_APP) {
    await using app = await testApp();
    const clients = await clientsOf(app);
    for (const request of requests.slice(start, start + CASES_PER_APP)) {
      const faults = await runCase(operation, { request, client: clients[request.role] });
      failures.push(...faults.map((fault) => ({ operationId: operation.operationId, fault, request })));
    }
  }
  return failures;
}

async function clientsOf(app: TestApp): Promise<Record<Role, Client>> {
  const actors = {
    superuser: "superuser",
    auditor: auditor(),
    manager: managerOf("acme"),
    stranger: stranger(),
    nobody: "nobody",
  } as const;
  const clients = await Promise.all(ROLES.map(async (role) => [role, await app.as(actors[role])] as const));
  return Object.fromEntries(clients) as Record<Role, Client>;
}

async function runCase(
  operation: Operation,
  { request, client }: { request: Case; client: Client },
): Promise<string[]> {
  const before = cpuMillis();
  const response = await client(request.path, { method: operation.method, ...bodyOf(operation, request) });
  const text = await response.text();
  const ms = cpuMillis() - before;
  const { status } = response;
  const type = response.headers.get("content-type") ?? "";
  const faults = violations(operation, status, { type, text });
  if (status >= 500) faults.push(`answers ${status}: ${text.slice(0, 200)}`);
  if (ms > MAX_MS) faults.push(`takes ${ms.toFixed(0)} ms of processor time`);
  if (status === 400 && isAllowed(operation, request)) {
    faults.push(
      ...unexplained(operation, JSON.parse(text)).map((fault) => `refuses an allowed body: ${fault}`),
    );
  }
  return faults;
}

function isAllowed(operation: Operation, { role, path, body, text }: Case): boolean {
  if (role !== "superuser" || path.includes("?") || text !== undefined || body === undefined) return false;
  return operation.requestType === undefined && allows(operation, body);
}

function bodyOf(
  { requestType }: Operation,
  { headers, body, text }: Case,
): { headers: Record<string, string>; body?: unknown } {
  if (body === undefined && text === undefined) return { headers };
  if (requestType === undefined) {
    return {
      headers: { "content-type": "application/json", ...headers },
      body: text ?? JSON.stringify(body),
    };
  }
  if (text !== undefined) {
    return { headers: { ...headers, "content-type": `${requestType}; boundary=x` }, body: text };
  }
  const form = new FormData();
  for (const [name, value] of Object.entries(body ?? {})) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (name === "file") form.append(name, new Blob([String(one)]), "file.pem");
      else form.append(name, String(one));
    }
  }
  return { headers, body: form };
}
