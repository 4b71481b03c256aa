/** Tenants. */

export { tenantField, tenants } from "./resource.ts";
