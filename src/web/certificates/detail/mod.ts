/** The page of one certificate, and what its buttons do. */

export { checkOne, validateOne } from "./actions.ts";
export { certificatePage } from "./page.tsx";
