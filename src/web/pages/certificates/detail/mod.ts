/** The page of one certificate, and its actions. */

export { checkOne, validateOne } from "./actions.ts";
export { loadDescription } from "./all_fields.tsx";
export { certificatePage } from "./page.tsx";
