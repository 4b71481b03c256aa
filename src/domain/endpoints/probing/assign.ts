/** Assigns a served certificate to the object of its endpoint, as far as the rights of those behind the report allow. */

import { sql } from "drizzle-orm";
import { accountOfUser, type Context, permittedIds, restriction } from "../../../auth/mod.ts";
import type { Transaction } from "../../../db/mod.ts";
import { EVERYTHING, isEverything, NOTHING } from "../../../filters/mod.ts";
import {
  type Draft,
  draftsOf,
  draftsWithin,
  type Resource,
  storeOnly,
  validateDrafts,
  type WriteCall,
} from "../../../resource/mod.ts";
import { ASSIGNED_RESOURCES, assignments } from "../../assignments/mod.ts";
import { certificates } from "../../certificates/mod.ts";
import { RIGHT_STATES, WITHOUT_CERTIFICATE } from "../states.ts";
import { endpoints } from "../resource.ts";
import type { KnownCertificate, StoredEndpoint } from "./evaluate.ts";
import type { EvaluatedEndpoint } from "./settle.ts";

const NOTE = "Served at an endpoint of this object.";

interface ServedAssignment {
  readonly certificate: number;
  readonly type: string;
  readonly object: number;
  /** The last editor of the endpoint; null for the service. */
  readonly editor: number | null;
}

/**
 * Adds missing assignments of certificates that endpoints serve now and did not serve before, or not without a
 * problem. Impossible ones, for example to an object of another tenant, are left out, and so are those that the last
 * editor of the endpoint, or the user of the agent that reports, may not add. One statement, and those of a write for
 * each editor if any is missing.
 * @param rights.editors The contexts of editors by their ids; without those that are not active.
 */
export async function assignServed(
  ctx: Context,
  tx: Transaction,
  { evaluated, editors, pushedBy }: {
    evaluated: readonly EvaluatedEndpoint[];
    editors: ReadonlyMap<number, Context>;
    pushedBy: Context | undefined;
  },
): Promise<void> {
  const requested = evaluated.flatMap(({ endpoint, certificateId, findings }): ServedAssignment[] => {
    const { assigned_object_type: type, assigned_object_id: object, edited_by: editor } = endpoint;
    const wasRight = RIGHT_STATES.has(endpoint.state) || WITHOUT_CERTIFICATE.has(endpoint.state);
    const isNew = certificateId !== null && !(wasRight && certificateId === endpoint.certificate_id);
    const isRight = findings.every(({ state }) => RIGHT_STATES.has(state));
    return isNew && isRight && type !== null && object !== null
      ? [{ certificate: certificateId, type, object, editor }]
      : [];
  });
  if (requested.length === 0) return;
  const missing = await tx.all<ServedAssignment>(
    sql`SELECT DISTINCT value->>'certificate' AS certificate, value->>'type' AS type, value->>'object' AS object,
          value->>'editor' AS editor FROM json_each(${JSON.stringify(requested)}) WHERE NOT EXISTS (
          SELECT 1 FROM certificate_assignments AS present WHERE present.certificate_id = value->>'certificate'
            AND present.assigned_object_type = value->>'type' AND present.assigned_object_id = value->>'object')`,
  );
  for (const [editor, some] of Map.groupBy(missing, (one) => one.editor)) {
    const contexts = [editor === null ? ctx : editors.get(editor), pushedBy ?? ctx];
    if (contexts.every((one) => one !== undefined)) await assign(ctx, tx, { missing: some, contexts });
  }
}

async function assign(
  ctx: Context,
  tx: Transaction,
  { missing, contexts }: { missing: readonly ServedAssignment[]; contexts: readonly Context[] },
): Promise<void> {
  const call: WriteCall = { ctx, tx, resource: assignments, allowed: EVERYTHING };
  const bodies = missing.map(() => ({ input: { is_primary: false, notes: NOTE }, errors: [], reveal: {} }));
  const drafts = await draftsOf(call, bodies);
  for (const [index, { certificate, type, object }] of missing.entries()) {
    Object.assign(drafts[index]?.row ?? {}, {
      certificate_id: certificate,
      assigned_object_type: type,
      assigned_object_id: object,
      automatic: 1,
    });
  }
  await validateDrafts(call, drafts);
  let possible: readonly Draft[] = drafts.filter(({ errors }) => Object.keys(errors).length === 0);
  for (const one of contexts) possible = await addable(one, tx, possible);
  if (possible.length > 0) await storeOnly(call, possible);
}

/** Returns the assignments that an actor may add, of certificates to objects that they may view. */
async function addable(ctx: Context, tx: Transaction, drafts: readonly Draft[]): Promise<readonly Draft[]> {
  const allowed = restriction(ctx, "add", assignments.map) ?? NOTHING;
  const within = await draftsWithin({ ctx, tx, resource: assignments, allowed }, drafts);
  const visibleOf = async ({ map }: Resource, column: string): Promise<Set<number>> => {
    const ids = within.map(({ row }) => Number(row[column]));
    return await permittedIds({ ctx, reader: tx }, { action: "view", map, ids });
  };
  const seen = await visibleOf(certificates, "certificate_id");
  const objects = new Map<unknown, Set<number>>();
  for (const one of ASSIGNED_RESOURCES) {
    objects.set(one.objectType, await visibleOf(one, "assigned_object_id"));
  }
  return within.filter(({ row }) =>
    seen.has(Number(row.certificate_id)) &&
    objects.get(row.assigned_object_type)?.has(Number(row.assigned_object_id))
  );
}

/** Returns the contexts of the active last editors by their ids. */
export async function readEditors(
  ctx: Context,
  stored: readonly StoredEndpoint[],
): Promise<Map<number, Context>> {
  const editors = new Map<number, Context>();
  for (const id of new Set(stored.flatMap((one) => one.edited_by ?? []))) {
    const account = await accountOfUser(ctx.database, id);
    if (account?.isActive === true) editors.set(id, { ...ctx, actor: account.actor });
  }
  return editors;
}

/**
 * Returns the certificates of which an agent may say that a server has proven possession: those that its user may view,
 * or all if its permission to report has no constraints.
 */
export async function credibleIds(
  ctx: Context,
  tx: Transaction,
  known: ReadonlyMap<string, KnownCertificate>,
): Promise<Set<number>> {
  const ids = [...known.values()].map(({ id }) => id);
  const reported = restriction(ctx, "push_observations", endpoints.map) ?? NOTHING;
  if (isEverything(reported)) return new Set(ids);
  return await permittedIds({ ctx, reader: tx }, { action: "view", map: certificates.map, ids });
}
