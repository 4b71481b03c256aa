/** Moving the objects of a tenant; a separate directory, because only a page needs it. */

export { movableReferrers, moveTenantObjects } from "./move_objects.ts";
