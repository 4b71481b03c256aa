/** Gives a token to whoever knows a username and its password. */

import { z } from "zod";
import { actorOf, type Context, signIn, unauthenticated } from "../../../auth/mod.ts";
import { invalid } from "../../../base/errors.ts";
import { createObject, REQUIRED } from "../../../resource/mod.ts";
import { tokens } from "./resource.ts";

/** What a verb needs before it is known who asks. */
export type Deps = Omit<Context, "actor">;

const text = z.string({ error: (issue) => issue.input === undefined ? REQUIRED : "Expected text." });
const credentials = z.looseObject({ username: text, password: text }, { error: "Expected an object." });

/**
 * `POST /api/users/tokens/provision/`: `{username, password}`, and any of a token's own fields (`description`,
 * `expires`, `write_enabled`, `allowed_ips`). Gives the token with its key.
 * Errors: invalid, unauthenticated, rate_limited, unavailable.
 */
export async function provisionToken(
  { deps, input, address }: { deps: Deps; input: unknown; address: string | null },
): Promise<Record<string, unknown>> {
  const { username, password, ...fields } = readInput(input);
  const userId = await signIn(deps, { username, password, address });
  const actor = await actorOf(deps, userId);
  if (actor === undefined) throw unauthenticated("User inactive");
  const { user: _, ...own } = fields;
  return await createObject({ ctx: { ...deps, actor }, resource: tokens, input: own });
}

function readInput(input: unknown): z.infer<typeof credentials> {
  const result = credentials.safeParse(input);
  if (result.success) return result.data;
  const { formErrors, fieldErrors } = z.flattenError(result.error);
  throw invalid({ ...fieldErrors, ...(formErrors.length === 0 ? {} : { __all__: formErrors }) });
}
