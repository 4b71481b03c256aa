/** Creates objects: all of them or none. */

import type { Finding } from "../../base/findings.ts";
import { authorize, authorizeAny, type Context } from "../../auth/mod.ts";
import { AppError, invalid } from "../../base/errors.ts";
import { MAX_BULK_OBJECTS } from "../../base/limits.ts";
import { nextIds } from "../../db/mod.ts";
import type { Condition } from "../../filters/mod.ts";
import type { ParsedBody, Resource } from "../model/definition.ts";
import type { Draft } from "../model/field.ts";
import type { Identity } from "../model/objects.ts";
import { anyErrors, storeDrafts, validateDrafts } from "./drafts.ts";
import type { WriteCall } from "./write_call.ts";
import { limitLongTexts, parseObjects } from "./parse.ts";
import { first } from "../../base/first.ts";

/** Creates an object and returns it in the format of the API. Errors: invalid, forbidden. */
export async function createObject<Of extends Identity>(
  { ctx, resource, input, allowed = authorizeWrite(ctx, resource, "add") }: {
    ctx: Context;
    resource: Resource<Of>;
    input: unknown;
    /** The condition for the object, if another right than `add` allows it. */
    allowed?: Condition;
  },
): Promise<Of> {
  const parsed = await parseObjects(resource, [input], "create");
  return first(await createParsed({ ctx, resource, allowed, parsed }, (errors) => invalid(first(errors))));
}

/**
 * Creates a list of objects. Errors: forbidden, invalid with a list that is aligned with the input (`{}` for
 * valid ones).
 */
export async function createObjects<Of extends Identity>(
  { ctx, resource, input }: { ctx: Context; resource: Resource<Of>; input: readonly unknown[] },
): Promise<Of[]> {
  const allowed = authorizeWrite(ctx, resource, "add");
  if (resource.written?.oneByOne) {
    throw new AppError(
      "invalid",
      `Expected an object, not a list: ${resource.labelPlural} are created one at a time.`,
    );
  }
  requireBulkSize(input);
  const parsed = await parseObjects(resource, input, "create");
  return await createParsed({ ctx, resource, allowed, parsed }, invalid);
}

async function createParsed<Of extends Identity>(
  { ctx, resource, allowed, parsed }: {
    ctx: Context;
    resource: Resource<Of>;
    allowed: Condition;
    parsed: readonly ParsedBody[];
  },
  refusal: (errors: Finding[][]) => AppError,
): Promise<Of[]> {
  await resource.hooks?.beforeWrite?.({ ctx, given: parsed });
  const objects = await ctx.database.write(async (tx) => {
    const call: WriteCall<Of> = { ctx, tx, resource, allowed };
    const drafts = await draftsOf(call, parsed);
    await validateDrafts(call, drafts);
    limitLongTexts(resource, drafts.map(({ row }) => row));
    return await storeValid(call, drafts, refusal);
  });
  resource.hooks?.afterCommit?.(ctx);
  return objects;
}

/** Stores drafts, and calls `beforeStore` and `afterStore`. Errors: forbidden, and `refusal` if any draft has an error. */
export async function storeValid<Of extends Identity>(
  call: WriteCall<Of>,
  drafts: readonly Draft[],
  refusal: (errors: Finding[][]) => AppError,
): Promise<Of[]> {
  const requireNone = (): void => {
    if (anyErrors(drafts)) throw refusal(drafts.map((draft) => draft.errors));
  };
  requireNone();
  const step = { ctx: call.ctx, tx: call.tx, drafts };
  await call.resource.hooks?.beforeStore?.(step);
  requireNone();
  const objects = await storeDrafts(call, drafts);
  await call.resource.hooks?.afterStore?.(step);
  requireNone();
  return objects;
}

/** Returns drafts with new ids for parsed bodies. */
export async function draftsOf({ tx, resource }: WriteCall, parsed: readonly ParsedBody[]): Promise<Draft[]> {
  const first = await nextIds(tx, resource.table, parsed.length);
  return parsed.map(({ input, errors, reveal, message }, index) => ({
    id: first + index,
    input: { ...input },
    row: {},
    errors: structuredClone(errors),
    reveal: { ...reveal },
    ...(message === undefined ? {} : { message }),
  }));
}

/** Authorizes a write by its action, or by the resource's `writeAction`. Errors: forbidden. */
export function authorizeWrite(
  ctx: Context,
  resource: Resource,
  action: "add" | "change" | "delete",
): Condition {
  const { written } = resource;
  return written?.action === undefined
    ? authorize(ctx, action, resource.map)
    : authorizeAny(ctx, [action, written.action], resource.map);
}

/** Refuses lists that are empty or too long. Errors: invalid. */
export function requireBulkSize(input: readonly unknown[]): void {
  if (input.length === 0) throw new AppError("invalid", "Expected a list with at least one object.");
  if (input.length > MAX_BULK_OBJECTS) {
    throw new AppError(
      "invalid",
      `Expected a list of at most ${MAX_BULK_OBJECTS} objects, not ${input.length}.`,
    );
  }
}
