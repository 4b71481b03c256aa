/** Object permissions: who may do what on which objects. */

export { checkConstraints, constraintNames } from "./check_constraints.ts";
export { type Permission, permissions } from "./resource.ts";
