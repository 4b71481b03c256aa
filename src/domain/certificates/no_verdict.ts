/** A chain without a verdict. */

import type { Cell } from "../../db/mod.ts";

/** The stored verdict of a chain that is not (or no longer) judged. */
export const NO_VERDICT: Record<string, Cell> = {
  chain_status: null,
  chain_is_valid: null,
  chain_depth: null,
  chain_validation_message: "",
  chain_validated_at: null,
};
