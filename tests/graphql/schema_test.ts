import assert from "node:assert/strict";
import { buildSchema, type GraphQLObjectType } from "graphql";
import { resources } from "../../src/domain/registry.ts";
import { SCHEMA_RESOURCES, schemaText } from "../../src/graphql/mod.ts";

Deno.test("docs/schema.graphql is what `deno task schema` writes", async () => {
  const written = await Deno.readTextFile(new URL("../../docs/schema.graphql", import.meta.url));
  assert.ok(written === schemaText(), "docs/schema.graphql is not current. Run `deno task schema`");
});

Deno.test("every resource of REST is part of the schema", () => {
  assert.deepEqual(
    SCHEMA_RESOURCES.map(({ resource }) => resource.objectType).sort(),
    resources.map(({ objectType }) => objectType).sort(),
  );
});

Deno.test("every readable field of a resource is a field of its type", () => {
  const schema = buildSchema(schemaText());
  for (const { resource, type } of SCHEMA_RESOURCES) {
    const fields = Object.keys((schema.getType(type) as GraphQLObjectType).getFields());
    const readable = Object.values(resource.fields).filter((field) => !field.writeOnly && !field.shown?.alias)
      .map(({ name }) => name);
    assert.deepEqual([...readable, "url", "display"].filter((name) => !fields.includes(name)), [], type);
  }
});

Deno.test("values have the types of REST: numbers, booleans, texts, lists, and JSON only for structures", () => {
  const schema = buildSchema(schemaText());
  const typeOf = (type: string, field: string): string =>
    String((schema.getType(type) as GraphQLObjectType).getFields()[field]?.type);
  const expected: readonly (readonly [string, string, string])[] = [
    ["CertificateType", "id", "Int!"],
    ["CertificateType", "valid_to", "String!"],
    ["CertificateType", "key_size", "Int"],
    ["CertificateType", "is_acme", "Boolean!"],
    ["CertificateType", "chain_is_valid", "Boolean"],
    ["CertificateType", "chain_validated_at", "String"],
    ["CertificateType", "sans", "[String!]!"],
    ["CertificateType", "tenant", "TenantType"],
    ["CertificateType", "assignments", "[CertificateAssignmentType!]!"],
    ["CertificateType", "assignments_total", "Int!"],
    ["CertificateType", "replaces", "[CertificateType!]!"],
    ["CertificateSigningRequestType", "suggested_certificate", "CertificateType"],
    ["ServiceType", "ports", "[Int!]!"],
    ["ServiceType", "device", "DeviceType"],
    ["ServiceType", "parent", "ServiceParent"],
    ["CompliancePolicyType", "parameters", "JSON"],
    ["Query", "certificate", "CertificateType"],
    ["Query", "certificate_list", "[CertificateType!]!"],
    ["Query", "certificate_list_total", "Int!"],
  ];
  assert.deepEqual(expected.map(([type, field]) => [type, field, typeOf(type, field)]), expected);
});

Deno.test("the schema has no mutations", () => {
  const schema = buildSchema(schemaText());
  assert.deepEqual([schema.getMutationType(), schema.getSubscriptionType()].map((type) => type ?? null), [
    null,
    null,
  ]);
});
