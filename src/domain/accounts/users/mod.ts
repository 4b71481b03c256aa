/** Users. */

export { changePassword, type PasswordChange } from "./change_password.ts";
export { confirmPassword } from "./confirm_password.ts";
export { keepComparisons } from "./keep_comparisons.ts";
export { keepQuota } from "./keep_quota.ts";
export { ownAddress } from "./own_address.ts";
export { type User, users } from "./resource.ts";
export { guardAccounts, userDeletionFault } from "./superusers.ts";
