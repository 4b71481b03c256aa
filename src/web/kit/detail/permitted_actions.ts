/** Actions offered to a user: by the actions of their permissions, and on objects by the constraints of these permissions. */

import { isGranted, permittedIds } from "../../../auth/mod.ts";
import type { Resource } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";

type Action = "add" | "change" | "delete";

const METHODS = { add: "POST", change: "PUT", delete: "DELETE" } as const;

/** Actions that the user may perform on an object. */
export interface PermittedActions {
  readonly change: boolean;
  readonly delete: boolean;
}

/** Returns whether an action is offered: the resource has it, and a permission includes it. */
export function may(call: Call, resource: Resource, action: Action): boolean {
  const { collection, item } = resource.methods;
  if (!(action === "add" ? collection : item).includes(METHODS[action])) return false;
  return namesOf(call, resource, action).length > 0;
}

/** Returns the ids on which the user may perform an action. At most one statement per action; none without constraints. */
export async function permittedAmong(
  call: Call,
  resource: Resource,
  { action, ids }: { action: "change" | "delete"; ids: readonly number[] },
): Promise<ReadonlySet<number>> {
  if (!may(call, resource, action)) return new Set();
  const sets = await Promise.all(
    namesOf(call, resource, action).map((name) => reached(call, resource, { action: name, ids })),
  );
  return new Set(sets.flatMap((set) => [...set]));
}

/** Returns whether the user may perform a custom action (`renew`) on one object; runs at most one statement. */
export async function mayActOn(
  call: Call,
  resource: Resource,
  { action, id }: { action: string; id: number },
): Promise<boolean> {
  if (!isGranted(call.ctx, action, resource.objectType)) return false;
  return (await reached(call, resource, { action, ids: [id] })).has(id);
}

function reached(
  { ctx }: Call,
  { map }: Resource,
  { action, ids }: { action: string; ids: readonly number[] },
): Promise<Set<number>> {
  return permittedIds({ ctx, reader: ctx.database }, { action, map, ids });
}

/** Returns the actions that the user may perform on an object. */
export async function permittedActionsOn(
  call: Call,
  resource: Resource,
  id: number,
): Promise<PermittedActions> {
  const [change, remove] = await Promise.all([
    permittedAmong(call, resource, { action: "change", ids: [id] }),
    permittedAmong(call, resource, { action: "delete", ids: [id] }),
  ]);
  return { change: change.has(id), delete: remove.has(id) };
}

/** Returns the sufficient actions that a permission includes. */
function namesOf({ ctx }: Call, { objectType, written }: Resource, action: Action): string[] {
  return [action, ...(written?.action === undefined ? [] : [written.action])].filter((name) =>
    isGranted(ctx, name, objectType)
  );
}
