/** Object permissions: who may do what on which objects. */

export { permissions } from "./resource.ts";
