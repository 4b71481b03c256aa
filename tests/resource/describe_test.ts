/** Descriptions of fields for generic code. */

import assert from "node:assert/strict";
import { resources } from "../../src/domain/registry.ts";
import { shapeOf } from "../../src/resource/mod.ts";

const TABLE: readonly (readonly [objectType: string, field: string, kind: string, nullable: boolean])[] = [
  ["certmgr.certificate", "common_name", "string", false],
  ["certmgr.certificate", "pem_matches", "boolean", true],
  ["certmgr.certificate", "acme_auto_renewal", "boolean", false],
  ["certmgr.certificate", "key_size", "integer", true],
  ["certmgr.certificate", "valid_to", "datetime", false],
  ["certmgr.certificate", "chain_validated_at", "datetime", true],
  ["certmgr.certificate", "chain_status", "choice", true],
  ["certmgr.certificate", "status", "choice", false],
  ["certmgr.certificate", "sans", "list", false],
  ["certmgr.certificate", "tenant", "reference", true],
  ["certmgr.certificate", "tags", "references", false],
  ["certmgr.certificatesigningrequest", "spki_sha256", "string", true],
  ["certmgr.compliancepolicy", "parameters", "object", false],
  ["users.objectpermission", "constraints", "object", true],
];

for (const [objectType, name, kind, nullable] of TABLE) {
  Deno.test(`${objectType}.${name} is ${nullable ? `${kind} or null` : kind}`, () => {
    const field = resources.find((one) => one.objectType === objectType)?.fields[name];
    assert.ok(field !== undefined);
    const shape = shapeOf(field);
    assert.deepEqual([shape.kind, shape.nullable], [kind, nullable]);
  });
}
