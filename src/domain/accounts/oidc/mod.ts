/** Signs in with OpenID Connect providers. */

export { accessTokenVerifier, beginOidc, finishOidc, logoutUrl } from "./on_demand.ts";
export type { OidcFlow, OidcIdentity } from "./provider.ts";
export { type Provisioned, provisionUser } from "./provision.ts";
