/** Object permissions: who may do what on which objects. */

export { checkConstraints, constraintNames } from "./check_constraints.ts";
export { permissions } from "./resource.ts";
