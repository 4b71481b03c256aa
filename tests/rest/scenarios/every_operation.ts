/** Common properties of all operations: authentication and requirements for bodies. */

import assert from "node:assert/strict";
import type { Operation } from "../../../src/rest/mod.ts";
import { superuser } from "../../support/actors.ts";
import { operations } from "../../support/operations.ts";
import { scenario } from "../../support/scenario.ts";

/** Operations that only read, although they are a POST. */
const READING = ["exportCertificatesByBody"];

for (const operation of operations) {
  if (operation.tag === "maps") map(operation);
  if (operation.tag === "maps" || operation.tag === "schema") continue;
  if (!operation.anonymous) guarded(operation);
  if (operation.request !== undefined) bodies(operation);
}

/** Returns `{ post: path }`, for the object with the id 1. */
function line({ method, path }: Operation): Record<string, string> {
  return { [method.toLowerCase()]: path.replace("{id}", "1") };
}

function map(operation: Operation): void {
  scenario(`GET ${operation.path} maps names to URLs, without credentials`, {
    as: "nobody",
    ...line(operation),
    status: 200,
    json: (body: Record<string, string>) => {
      for (const [name, url] of Object.entries(body)) {
        assert.equal(url, `https://certmgr.example${operation.path}${name}/`);
      }
    },
  });
}

function guarded(operation: Operation): void {
  const title = `${operation.method} ${operation.path}`;
  scenario(`${title} answers 401 without credentials`, {
    as: "nobody",
    ...line(operation),
    status: 401,
    equals: { detail: "Authentication credentials were not provided." },
    answers: { "www-authenticate": "Token" },
  });
  scenario(`${title} answers 403 from an address that the token is not allowed from`, {
    as: superuser({ allowedIps: ["198.51.100.0/24"] }),
    ...line(operation),
    status: 403,
  });
  if (operation.method === "GET" || READING.includes(operation.operationId)) return;
  scenario(`${title} answers 403 to a read-only token`, {
    as: superuser({ readOnlyToken: true }),
    ...line(operation),
    body: operation.requestType === undefined ? [] : new FormData(),
    status: 403,
    contains: ["read-only"],
  });
}

function bodies(operation: Operation): void {
  const title = `${operation.method} ${operation.path}`;
  const as = operation.anonymous ? "nobody" : "superuser";
  const type = operation.requestType ?? "application/json";
  scenario(`${title} answers 400 to a malformed body`, {
    as,
    ...line(operation),
    headers: { "content-type": type },
    body: '{"name": "x",}',
    status: 400,
    contains: ["parse error - "],
  });
  scenario(`${title} answers 408 to a body that arrives too slowly`, {
    as,
    ...line(operation),
    headers: { "content-type": `${type}; boundary=x` },
    body: "x",
    app: { bodyLimits: { deadlineMs: 0 } },
    status: 408,
    equals: { detail: "The request body arrived too slowly." },
  });
  scenario(`${title} answers 413 to a body over the limit`, {
    as,
    ...line(operation),
    headers: { "content-type": `${type}; boundary=x` },
    body: "x".repeat(101),
    app: { maxBodyBytes: 100 },
    status: 413,
    equals: { detail: "The request body is larger than the limit of 100 bytes." },
  });
  scenario(`${title} answers 413 to a body over the limit without a Content-Length`, {
    as,
    ...line(operation),
    headers: { "content-type": `${type}; boundary=x` },
    body: ReadableStream.from([new Uint8Array(60), new Uint8Array(60)]),
    app: { maxBodyBytes: 100 },
    status: 413,
  });
  scenario(`${title} answers 415 to another content type`, {
    as,
    ...line(operation),
    headers: { "content-type": "text/csv" },
    body: "name\nx",
    status: 415,
    equals: { detail: 'Unsupported media type "text/csv" in request.' },
  });
}
