/** All tables, for Drizzle. The migrations define the schema; a test checks that both agree. */

export * from "./accounts.ts";
export * from "./certificates.ts";
export * from "./compliance.ts";
export * from "./contacts.ts";
export * from "./custom_fields.ts";
export * from "./endpoints.ts";
export * from "./events.ts";
export * from "./host_details.ts";
export * from "./incidents.ts";
export * from "./inventory.ts";
export * from "./notices.ts";
export * from "./revocation.ts";
export * from "./service.ts";
export * from "./sign_in.ts";
