/** Validates permissions as a whole: object types, actions and constraints. */

import { canonicalAction, isObjectType, OBJECT_TYPES, type ObjectType } from "../../../auth/mod.ts";
import { pacer } from "../../../base/pace.ts";
import { nearest } from "../../../filters/mod.ts";
import {
  type Draft,
  effectiveJson,
  quote,
  refuse,
  type Values,
  type WriteStep,
} from "../../../resource/mod.ts";
import { compileConstraints } from "./constraints.ts";
import { guardDelegation, type Permission } from "./delegation.ts";
import type { ObjectRow } from "../../../db/mod.ts";

/**
 * Validates names, shortens actions (`add_device` → `add`), compiles constraints, and limits what can be
 * granted.
 */
export async function preparePermissions(step: WriteStep): Promise<void> {
  const pause = pacer();
  for (const draft of step.drafts) {
    await pause();
    const objectTypes = readObjectTypes(draft);
    const actions = objectTypes === undefined ? undefined : readActions(draft, objectTypes);
    if (objectTypes === undefined || actions === undefined || draft.errors.constraints !== undefined) {
      continue;
    }
    const permission: Permission = { objectTypes, actions, constraints: effectiveJson(draft, "constraints") };
    for (const message of compileConstraints(step.ctx, permission)) refuse(draft, "constraints", message);
    guardDelegation(step.ctx, { permission, action: draft.before === undefined ? "add" : "change" });
  }
}

type PermissionDraft = Draft<ObjectRow, Values & { object_types?: string[]; actions?: string[] }>;

/** Returns the object types; undefined if there are errors. */
function readObjectTypes(draft: PermissionDraft): ObjectType[] | undefined {
  const names = effectiveJson(draft, "object_types");
  if (names === undefined || draft.errors.object_types !== undefined) return undefined;
  for (const name of names.filter((name) => !isObjectType(name))) {
    const near = nearest(name, OBJECT_TYPES);
    const hint = near === undefined ? "" : ` Did you mean “${near}”?`;
    refuse(draft, "object_types", `Unknown object type ${quote(name)}.${hint}`);
  }
  if (draft.errors.object_types !== undefined) return undefined;
  const types = [...new Set(names.filter(isObjectType))];
  if ("object_types" in draft.input) draft.input.object_types = types;
  return types;
}

/** Returns the actions in their short form; undefined if there are errors. */
function readActions(draft: PermissionDraft, objectTypes: readonly ObjectType[]): string[] | undefined {
  const given = effectiveJson(draft, "actions");
  if (given === undefined || draft.errors.actions !== undefined) return undefined;
  const actions = new Set<string>();
  for (const text of given) {
    const action = canonicalAction(text, objectTypes);
    if (action !== undefined) actions.add(action);
    else refuse(draft, "actions", `Unknown action ${quote(text)} on ${objectTypes.join(", ")}.`);
  }
  if (draft.errors.actions !== undefined) return undefined;
  if ("actions" in draft.input) draft.input.actions = [...actions];
  return [...actions];
}
