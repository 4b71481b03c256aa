/** Joins middleware and steps. */

import type { Context, MiddlewareHandler } from "hono";
import type { AppEnv } from "../app_options.ts";

/**
 * Joins middleware into one. Hono looks up and composes each registered middleware anew for every request, which costs
 * as much as the fastest requests themselves. What one of them throws skips the later parts of those before it.
 */
export function chain(...middleware: readonly MiddlewareHandler<AppEnv>[]): MiddlewareHandler<AppEnv> {
  return middleware.reduceRight((inner, outer) => (c, next) =>
    outer(c, async () => {
      await inner(c, next);
    })
  );
}

/** Completes a response that its handler has made. */
export type Step = (c: Context<AppEnv>) => Promise<void> | void;

/** Runs steps on each response, in their order. */
export function complete(...steps: readonly Step[]): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    await next();
    for (const step of steps) {
      const pending = step(c);
      if (pending !== undefined) await pending;
    }
  };
}
