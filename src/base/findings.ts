/** Limits the number of findings in an error response. */

import type { FieldErrors, PublicError } from "./errors.ts";

/** Maximum number of findings in a response, because a crafted body could cause millions. */
export const MAX_FINDINGS = 100;

/**
 * Keeps the first {@link MAX_FINDINGS} findings, and adds the number of the others. A list remains aligned
 * with the input, and each object with findings keeps at least one.
 */
export function cappedFindings(body: PublicError): PublicError {
  if (!Array.isArray(body)) {
    return "detail" in body && !Array.isArray(body.detail) ? body : cut(body as FieldErrors, MAX_FINDINGS);
  }
  let left = MAX_FINDINGS;
  return body.map((errors) => {
    const shown = cut(errors, left);
    left = Math.max(0, left - countFindings(errors));
    return shown;
  });
}

function cut(errors: FieldErrors, most: number): FieldErrors {
  const count = countFindings(errors);
  if (count <= most) return errors;
  const kept: [string, string[]][] = [];
  let left = most;
  let shownCount = 0;
  for (const [field, messages] of Object.entries(errors)) {
    if (left === 0) break;
    // The last finding often explains why validation stopped.
    const shown = messages.length > left
      ? [...messages.slice(0, left), ...messages.slice(-1)]
      : messages.slice();
    kept.push([field, shown]);
    shownCount += shown.length;
    left = Math.max(0, left - shown.length);
  }
  if (shownCount === count) return Object.fromEntries(kept);
  const rest = `And ${count - shownCount} more.`;
  const own = kept.find(([field]) => field === "__all__");
  if (own === undefined) kept.push(["__all__", [rest]]);
  else own[1].push(rest);
  return Object.fromEntries(kept);
}

function countFindings(errors: FieldErrors): number {
  return Object.values(errors).reduce(
    (sum, messages) => sum + (Array.isArray(messages) ? messages.length : 1),
    0,
  );
}
