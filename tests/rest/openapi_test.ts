/** The API document: valid, complete, and the same as the table of operations. */

import assert from "node:assert/strict";
import { Validator } from "@seriousme/openapi-schema-validator";
import { parse } from "yaml";
import { POLICY_TYPES } from "../../src/domain/compliance/mod.ts";
import { IMPORT_COLUMNS } from "../../src/domain/certificates/import/mod.ts";
import { resources } from "../../src/domain/registry.ts";
import { filterNames } from "../../src/filters/mod.ts";
import { testApp } from "../support/app.ts";
import { cpuMillis } from "../support/cpu_time.ts";
import { document } from "../support/contract.ts";
import { operations } from "../support/operations.ts";

type Node = Record<string, unknown>;
type Parameter = { readonly name: string; readonly schema: Node };

/** Yields every node of the document with its place. */
function* nodes(value: unknown, place = "#"): Generator<[place: string, node: Node]> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield [place, value as Node];
  for (const [key, child] of Object.entries(value)) yield* nodes(child, `${place}/${key}`);
}

function resolve(ref: string): unknown {
  return ref.replace(/^#\//, "").split("/").reduce(
    (node: unknown, key) => (node as Node | undefined)?.[key],
    document,
  );
}

/** The documented operations. */
const documented = Object.entries(document.paths as Record<string, Record<string, Node>>).flatMap((
  [path, item],
) => Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })));

Deno.test("the document is valid OpenAPI 3.1", async () => {
  assert.equal(document.openapi, "3.1.0");
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  assert(valid, JSON.stringify(errors));
});

Deno.test("the document has exactly the operations that exist", () => {
  const line = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`;
  assert.deepEqual(documented.map(line).sort(), operations.map(line).sort());
});

Deno.test("every operation has an id and a summary, and ids are unique", () => {
  const ids = documented.map(({ operation }) => operation.operationId as string);
  assert.deepEqual(ids.filter((id, index) => ids.indexOf(id) !== index), []);
  for (const { operation, path } of documented) {
    assert.match(String(operation.summary), /^[A-Z].*[^.]$/, path);
  }
});

Deno.test("every operation has a description in complete sentences", () => {
  for (const { operation, path, method } of documented) {
    const description = String(operation.description);
    assert.match(description, /^[A-Z`][^]*\.$/, `${method} ${path}`);
    assert(!description.includes("undefined"), `${method} ${path}: ${description}`);
    assert(!description.startsWith(String(operation.summary)), `${method} ${path}`);
  }
});

Deno.test("bodies of imports and parameters of policies have a schema", () => {
  const bodyOf = (path: string): Node =>
    document.paths[`/api/plugins/certmgr/${path}/`].post.requestBody.content["application/json"].schema;
  const { content, format, on_duplicate } = bodyOf("certificates/bulk-data-import").properties as Record<
    string,
    { description: string }
  >;
  for (const column of IMPORT_COLUMNS) assert(content?.description.includes(`\`${column}\``), column);
  assert(format?.description !== undefined && on_duplicate?.description !== undefined);
  const table = (bodyOf("certificates/bulk-import").anyOf as { properties?: Record<string, Node> }[])[1];
  for (const [name, schema] of Object.entries(table?.properties ?? {})) {
    assert(schema.description !== undefined, name);
  }
  const { parameters } = document.components.schemas.CompliancePolicyCreate.properties;
  for (const type of POLICY_TYPES) assert(parameters.description.includes(`\`${type}\`: `), type);
});

Deno.test("every reference resolves, and every shared schema is used", () => {
  const refs = new Set(
    [...nodes(document)].map(([, node]) => node.$ref).filter((ref) => typeof ref === "string"),
  );
  for (const ref of refs) assert(resolve(ref) !== undefined, ref);
  const unused = Object.keys(document.components.schemas).filter((name) =>
    !refs.has(`#/components/schemas/${name}`)
  );
  assert.deepEqual(unused, []);
});

Deno.test("parameters are unique within an operation and complete in its path", () => {
  for (const { path, operation } of documented) {
    const parameters = (operation.parameters ?? []) as { name: string; in: string; description?: string }[];
    const keys = parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
    assert.equal(new Set(keys).size, keys.length, path);
    const inPath = parameters.filter((parameter) => parameter.in === "path").map((parameter) =>
      `{${parameter.name}}`
    );
    assert.deepEqual(inPath, path.match(/\{\w+\}/g) ?? [], path);
    for (const parameter of parameters) {
      assert(parameter.in === "path" || parameter.description !== undefined, `${path} ${parameter.name}`);
    }
  }
});

/** Parameters of one request: a refusal names the wrong ones, whatever the others are. */
const PARAMETERS_AT_ONCE = 20;

Deno.test("every documented parameter of a list is accepted", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  for (const resource of resources) {
    const parameters = document.paths[`/api/${resource.path}/`].get.parameters as Parameter[];
    const filters = new Set([...filterNames(resource.map, { long: true })].map(({ name }) => name));
    // Others, such as two ways of paging, exclude each other.
    const [together, alone] = [true, false].map((isFilter) =>
      parameters.filter(({ name }) => filters.has(name) === isFilter)
    ) as [Parameter[], Parameter[]];
    const batches = alone.map((one) => [one]);
    for (let from = 0; from < together.length; from += PARAMETERS_AT_ONCE) {
      batches.push(together.slice(from, from + PARAMETERS_AT_ONCE));
    }
    for (const batch of batches) {
      const query = batch.map(({ name, schema }) =>
        `${name}=${encodeURIComponent(exampleOf(name, (schema.items ?? schema) as Node))}`
      ).join("&");
      const response = await client(
        `/api/${resource.path}/?${query}${query.includes("limit=") ? "" : "&limit=1"}`,
      );
      assert.equal(response.status, 200, `${resource.path} ${query} ${await response.clone().text()}`);
      await response.body?.cancel();
    }
  }
});

/** Returns a value that a parameter accepts, by its schema. */
function exampleOf(name: string, schema: Node): string {
  if (name === "ordering") return "id";
  if (name === "fields" || name === "omit") return "id";
  const example = ((schema.examples ?? schema.enum ?? []) as string[]).find((one) => one !== "");
  if (example !== undefined) return example;
  const type = [schema.type].flat()[0];
  return type === "boolean" ? "true" : type === "integer" ? "1" : "a";
}

Deno.test("a request body with every documented field of a resource is accepted", () => {
  for (const resource of resources.filter((one) => one.methods.collection.includes("POST"))) {
    const post = document.paths[`/api/${resource.path}/`].post;
    const { $ref } = post.requestBody.content["application/json"].schema;
    const [create] = (resolve($ref) as { oneOf?: Node[] }).oneOf as [{ $ref: string }] | undefined ??
      [{ $ref }];
    const { properties, required = [] } = resolve(create.$ref) as { properties: Node; required?: string[] };
    const writable = Object.values(resource.fields).filter((field) => field.input !== undefined);
    assert.deepEqual(
      Object.keys(properties).sort(),
      [...writable.map((field) => field.name), "changelog_message"].sort(),
      resource.path,
    );
    for (const name of required) assert(resource.fields[name]?.required, `${resource.path} ${name}`);
    for (const [name, property] of Object.entries(properties)) {
      assert.notEqual((property as Node).description, undefined, `${resource.path} ${name}`);
    }
  }
});

Deno.test("the document is public, as JSON and as YAML, and names the origin of the request", async () => {
  await using app = await testApp({ baseUrl: "https://inventory.example" });
  const nobody = await app.as("nobody");
  const [plain, yaml, accepted, refused, unknown] = await Promise.all([
    nobody("/api/schema/"),
    nobody("/api/schema/?format=yaml"),
    nobody("/api/schema/", { headers: { accept: "application/yaml" } }),
    nobody("/api/schema/?format=xml"),
    nobody("/api/schema/?version=3"),
  ]);
  assert.equal(plain.headers.get("content-type"), "application/json");
  assert.equal(yaml.headers.get("content-type"), "application/yaml");
  const body = await plain.json();
  assert.deepEqual(body.servers, [{ url: "https://inventory.example" }]);
  assert.deepEqual({ ...body, servers: document.servers }, JSON.parse(JSON.stringify(document)));
  const text = await yaml.text();
  assert.deepEqual(parse(text), body);
  assert.equal(await accepted.text(), text);
  assert.deepEqual([refused.status, unknown.status], [400, 400]);
  assert.deepEqual(Object.keys(await refused.json()), ["format"]);
  assert.deepEqual(Object.keys(await unknown.json()), ["version"]);
});

Deno.test("the document has an entity tag by format and origin, and is not sent again to clients that have it", async () => {
  await using app = await testApp();
  const nobody = await app.as("nobody");
  const ask = async (path: string, known?: string): Promise<[number, string, string]> => {
    const response = await nobody(path, known === undefined ? {} : { headers: { "if-none-match": known } });
    return [response.status, response.headers.get("etag") ?? "", await response.text()];
  };
  const etags = new Set<string>();
  for (const format of ["json", "yaml"]) {
    for (const origin of ["https://a.example", "https://b.example:8443"]) {
      const path = `${origin}/api/schema/?format=${format}`;
      const [status, etag, text] = await ask(path);
      assert.equal(status, 200);
      const sent = (format === "json" ? JSON.parse(text) : parse(text)) as Node;
      assert.deepEqual(sent.servers, [{ url: origin }]);
      assert.deepEqual(await ask(path), [200, etag, text]);
      for (const known of [etag, `"x", ${etag}`, "*"]) {
        assert.deepEqual(await ask(path, known), [304, etag, ""]);
      }
      assert.equal((await ask(path, '"x"'))[0], 200);
      etags.add(etag);
    }
  }
  assert.equal(etags.size, 4);
});

Deno.test("the document is serialized once, not for each request or host", async () => {
  await using app = await testApp();
  const nobody = await app.as("nobody");
  await (await nobody("/api/schema/?format=yaml")).body?.cancel();
  const started = cpuMillis();
  for (let host = 0; host < 20; host++) {
    const response = await nobody(`https://host-${host}.example/api/schema/?format=yaml`);
    assert((await response.arrayBuffer()).byteLength > 100_000);
  }
  // Serializing it takes some hundred milliseconds each time.
  const used = cpuMillis() - started;
  assert(used < 1_000, `${used} ms`);
});

Deno.test("the document is sent in parts with its length, plain and compressed", async () => {
  await using app = await testApp();
  const nobody = await app.as("nobody");
  const path = "/api/schema/?format=yaml";
  const plain = await nobody(path);
  const { value } = await plain.clone().body!.getReader().read();
  assert(value!.length <= 64 * 1024, `The first part has ${value!.length} bytes`);
  const text = await plain.text();
  const length = new TextEncoder().encode(text).length;
  assert.equal(plain.headers.get("content-length"), String(length));
  const head = await nobody(path, { method: "HEAD" });
  assert.deepEqual([head.headers.get("content-length"), await head.text()], [String(length), ""]);
  const packed = await nobody(path, { headers: { "accept-encoding": "gzip" } });
  assert.deepEqual([packed.headers.get("content-encoding"), packed.headers.get("content-length")], [
    "gzip",
    null,
  ]);
  const unpacked = packed.body!.pipeThrough(new DecompressionStream("gzip"));
  assert.equal(await new Response(unpacked).text(), text);
});

Deno.test("the viewer is served by the service itself and runs no scripts of other origins", async () => {
  await using app = await testApp();
  const nobody = await app.as("nobody");
  const page = await nobody("/api/schema/swagger-ui/");
  const html = await page.text();
  assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
  const policy = page.headers.get("content-security-policy") ?? "";
  assert.match(policy, /script-src 'self';/);
  for (const directive of ["base-uri", "form-action", "frame-ancestors"]) {
    assert.ok(policy.includes(`; ${directive} 'none'`), directive);
  }
  assert.doesNotMatch(html, /https?:\/\//);
  for (const [, name = ""] of html.matchAll(/(?:src|href)="([^"]+)"/g)) {
    const file = await nobody(`/api/schema/swagger-ui/${name}`);
    assert.equal(file.status, 200, name);
    assert((await file.text()).length > 50, name);
  }
});

Deno.test("the calendar's token is a required parameter", () => {
  const { parameters } = document.paths["/api/plugins/certmgr/certificates/calendar.ics"].get;
  assert.deepEqual(
    parameters.map((one: { name: string; required?: boolean }) => [one.name, one.required]),
    [["token", true]],
  );
});
