/** Errors with which operations refuse. */

import assert from "node:assert/strict";
import { AppError } from "../../src/base/errors.ts";

/** Returns the error of a call that must be refused. */
export async function refusal(call: Promise<unknown> | (() => Promise<unknown>)): Promise<AppError> {
  try {
    await (typeof call === "function" ? call() : call);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  assert.fail("Call was answered instead of refused");
}
