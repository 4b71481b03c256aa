/** Assigning many certificates at once. */

export { BULK_ASSIGN_INPUT, bulkAssign, type BulkAssignment } from "./bulk_assign.ts";
