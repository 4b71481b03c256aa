/** The page of one certificate, and its actions. */

export { checkOne, validateOne } from "./actions.ts";
export { certificatePage } from "./page.tsx";
