/** When expiries are announced: what tenants and certificates say of it. */

export { expiryNoticesField } from "./field.ts";
