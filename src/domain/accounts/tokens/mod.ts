/** API tokens: created by their users, by provisioning, and at the first start. */

export { FIRST_USERNAME, firstAdmin } from "./first_admin.ts";
export { provisionToken } from "./provision.ts";
export { revokeTokens } from "./revoke_tokens.ts";
export { type Token, tokens } from "./resource.ts";
