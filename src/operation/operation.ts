/** Defines operations: authorize, refuse private keys (no operation accepts them), parse, run. */

import { ALL_FIELDS, type Finding, finding } from "../base/findings.ts";
import type { z } from "zod";
import { authorize, type Context } from "../auth/mod.ts";
import type { AppError } from "../base/errors.ts";
import { inSlices, pacer, type Pause } from "../base/pace.ts";
import { and, type Condition } from "../filters/mod.ts";
import { refusingPrivateKeys, type Resource } from "../resource/mod.ts";
import { holdsPrivateKey, searchingKey } from "../x509/mod.ts";
import { type BodyFinding, parseBody, refusalOf } from "./body_findings.ts";

/**
 * A permission that an operation needs on the objects of a resource: an action, or a function that
 * authorizes.
 */
export type Need = readonly [action: string | ((ctx: Context) => Condition), resource: Resource];

/** The elements of a body that is a list. */
export const ELEMENTS = "[]";

/** Arguments of `run`. */
interface Run<Input> {
  readonly ctx: Context;
  /** The `{id}` of the path; 0 for operations on a collection. */
  readonly id: number;
  readonly input: Input;
  /** Address of the client; null if unknown. */
  readonly address: string | null;
  /** Stops a long operation between two steps. */
  readonly signal: AbortSignal | undefined;
  /** Returns the condition for the rows of a resource on which the caller has all required actions. */
  readonly allowed: (resource: Resource) => Condition;
}

interface Definition<Input extends z.ZodType, Output extends z.ZodType> {
  readonly needs: readonly Need[];
  /** Validates the body; also its documentation. */
  readonly input: Input;
  /** The result of `run`; also the documentation of the response. */
  readonly output: Output;
  /** Fields, or the {@link ELEMENTS} of a list, that `run` itself searches for private keys, because it reports them by row. */
  readonly searchedByRun?: readonly string[];
  /** Returns the error of an invalid body; by default messages by field. */
  readonly refusal?: (findings: readonly BodyFinding[], body: unknown) => AppError;
  readonly run: (run: Run<z.output<Input>>) => Promise<z.input<Output>>;
}

export interface OperationRequest {
  readonly ctx: Context;
  readonly id?: number;
  /** The body before its validation. */
  readonly input?: unknown;
  readonly address?: string | null;
  readonly signal?: AbortSignal | undefined;
}

/** An operation: a function and its schemas. */
export interface DomainOperation<Output = unknown> {
  (request: OperationRequest): Promise<Output>;
  readonly input: z.ZodType;
  readonly output: z.ZodType;
}

/**
 * Returns an operation that authorizes, refuses private keys, parses and runs, in this order. Errors:
 * forbidden, invalid, those of `run`.
 */
export function operation<Input extends z.ZodType, Output extends z.ZodType>(
  { needs, input: schema, output, searchedByRun = [], refusal = refusalOf, run }: Definition<Input, Output>,
): DomainOperation<z.input<Output>> {
  async function call(
    { ctx, id = 0, input, address = null, signal }: OperationRequest,
  ): Promise<z.input<Output>> {
    const permitted = needs.map(([action, resource]) => ({
      resource,
      rows: typeof action === "string" ? authorize(ctx, action, resource.map) : action(ctx),
    }));
    const keys = await findPrivateKeys(input, searchedByRun);
    if (keys.length > 0) throw refusal(keys, input);
    const parsed = parseBody(schema, input);
    if ("findings" in parsed) throw refusal(parsed.findings, input);
    const allowed = (resource: Resource): Condition =>
      and(...permitted.filter((one) => one.resource === resource).map(({ rows }) => rows));
    return await run({ ctx, id, input: parsed.value, address, signal, allowed });
  }
  return Object.assign(call, { input: schema, output });
}

/**
 * Finds the fields of a body, or of the objects of a list, that contain a private key. Works in slices.
 * @param except Fields that the operation searches itself.
 */
async function findPrivateKeys(input: unknown, except: readonly string[]): Promise<BodyFinding[]> {
  const pause = pacer();
  const findings: BodyFinding[] = [];
  if (Array.isArray(input) && except.includes(ELEMENTS)) return findings;
  for (const { path, value } of membersOf(input)) {
    const name = path.at(-1);
    if (typeof name === "string") {
      if (except.includes(name)) continue;
      // The response must not repeat the name itself.
      if (holdsPrivateKey(name)) findings.push({ ...finding("private_key"), path: [ALL_FIELDS] });
    }
    if (await holdsKey(value, pause)) findings.push({ ...finding("private_key"), path });
  }
  return findings;
}

/** Yields the fields of an object, or of each object of a list. */
function* membersOf(
  input: unknown,
  at: readonly PropertyKey[] = [],
): Generator<{ path: PropertyKey[]; value: unknown }> {
  if (typeof input !== "object" || input === null) return;
  for (const [name, value] of Object.entries(input)) {
    const isElement = Array.isArray(input) && at.length === 0;
    const path = [...at, isElement ? Number(name) : name];
    if (isElement && typeof value === "object" && value !== null) yield* membersOf(value, path);
    else yield { path, value };
  }
}

async function holdsKey(value: unknown, pause: Pause): Promise<boolean> {
  for (const one of Array.isArray(value) ? value : [value]) {
    if (one instanceof Blob && await inSlices(searchingKey(await one.bytes()), pause)) return true;
  }
  const errors: Finding[] = [];
  await inSlices(refusingPrivateKeys({ value }, errors), pause);
  return errors.length > 0;
}
