import assert from "node:assert/strict";
import {
  actionsOn,
  canonicalAction,
  isObjectType,
  OBJECT_TYPES,
  type ObjectType,
} from "../../src/auth/mod.ts";
import { resources } from "../../src/domain/registry.ts";

Deno.test("an action is found by its name and by its codename, on the types that have it", () => {
  const table: [text: string, types: ObjectType[], action: string | undefined][] = [
    ["view", ["certmgr.certificate"], "view"],
    ["view_certificate", ["certmgr.certificate"], "view"],
    ["certmgr.view_certificate", ["certmgr.certificate"], "view"],
    ["import", ["certmgr.certificate"], "import"],
    ["import_certificate", ["certmgr.certificate"], "import"],
    ["certmgr.import_certificate", ["certmgr.certificate"], "import"],
    ["renew_certificate", ["tenancy.tenant", "certmgr.certificate"], "renew"],
    ["bulk_operations", ["certmgr.certificate"], "bulk_operations"],
    ["certmgr.bulk_operations", ["certmgr.certificate"], "bulk_operations"],
    ["manage_compliance", ["certmgr.compliancepolicy"], "manage_compliance"],
    ["manage_compliance", ["certmgr.certificate"], undefined],
    ["import", ["tenancy.tenant"], undefined],
    ["view_tenant", ["certmgr.certificate"], undefined],
    ["tenancy.view_certificate", ["certmgr.certificate"], undefined],
    ["View", ["certmgr.certificate"], undefined],
    ["*", ["certmgr.certificate"], undefined],
    ["", ["certmgr.certificate"], undefined],
    ["view", [], undefined],
  ];
  for (const [text, types, action] of table) {
    assert.equal(canonicalAction(text, types), action, `${text} on ${types}`);
  }
});

Deno.test("no inherited property is an object type", () => {
  for (const name of ["constructor", "__proto__", "toString", ""]) assert.equal(isObjectType(name), false);
});

Deno.test("permissions accept every resource with the additional actions that it defines", () => {
  for (const { objectType, actions } of resources) {
    assert.ok(isObjectType(objectType), objectType);
    for (const action of actions) {
      assert.ok(actionsOn(objectType).includes(action), `${action} on ${objectType}`);
    }
  }
  assert.deepEqual([...OBJECT_TYPES].sort(), resources.map(({ objectType }) => objectType).sort());
});
