/** Users. */

export { changePassword, type PasswordChange } from "./change_password.ts";
export { users } from "./resource.ts";
export { guardAccounts } from "./superusers.ts";
