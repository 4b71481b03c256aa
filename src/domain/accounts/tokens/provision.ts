import { issue } from "../../../base/findings.ts";
import { z } from "zod";
import { actorOf, mustAddSecondFactor, unauthenticated } from "../../../auth/mod.ts";
import { formatDatetime } from "../../../base/clock.ts";
import { AppError } from "../../../base/errors.ts";
import { objectBody, operation, shown } from "../../../operation/mod.ts";
import { createObject, inputSchema } from "../../../resource/mod.ts";
import { tokens } from "./resource.ts";

/** A refused password is not quoted. */
const ProvisionInput = objectBody({
  username: z.string(),
  password: z.string({
    error: ({ input }) => input === undefined ? issue("required") : issue("unexpected", { expected: "text" }),
  }),
  description: inputSchema(tokens, "description").optional(),
  expires: (inputSchema(tokens, "expires") as z.ZodType<number | null>).optional().describe(
    "A datetime in the future; null: never.",
  ),
  write_enabled: z.boolean().optional().describe("Whether it may be used for changes; true by default."),
  allowed_ips: inputSchema(tokens, "allowed_ips").optional().describe(
    "Addresses and networks from which the token can be used; empty: any.",
  ),
});

/**
 * Creates a token with a username and password instead of credentials. Returns the token with its key.
 * Errors: invalid, unauthenticated, forbidden (a second factor is required), rate_limited, unavailable.
 */
export const provisionToken = operation({
  needs: [],
  input: ProvisionInput,
  output: shown(tokens),
  run: async ({ ctx, input: { username, password, expires, ...fields }, address }) => {
    if (!ctx.settings.signIn.local) {
      throw unauthenticated("Passwords are not accepted (CERTMGR_LOCAL_SIGN_IN).");
    }
    const { signInRecorded } = await import("../sessions/web_sessions.ts");
    const { userId, hasSecondFactor } = await signInRecorded(ctx, {
      username,
      password,
      address,
      userAgent: ctx.client?.userAgent ?? "",
    });
    const actor = await actorOf(ctx, userId);
    if (actor === undefined) throw unauthenticated("User inactive");
    // A password alone must not grant access that the pages grant only with two factors.
    if (hasSecondFactor || mustAddSecondFactor(ctx.settings.signIn, actor)) {
      throw new AppError(
        "forbidden",
        "This account needs a second factor. Sign in and create the token on your profile.",
      );
    }
    const input = { ...fields, ...(typeof expires === "number" ? { expires: formatDatetime(expires) } : {}) };
    return await createObject({ ctx: { ...ctx, actor }, resource: tokens, input });
  },
});
