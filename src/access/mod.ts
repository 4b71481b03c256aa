/** Who may do what: actors, tokens, and grants turned into restrictions. */

export * from "./context.ts";
export * from "./restrict.ts";
