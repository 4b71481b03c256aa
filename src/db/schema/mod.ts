/** Every table, as Drizzle sees it. The truth is in `migrations/`; a test holds the two together. */

export * from "./accounts.ts";
export * from "./certificates.ts";
export * from "./compliance.ts";
export * from "./events.ts";
export * from "./inventory.ts";
export * from "./service.ts";
