/** Signs in with OpenID Connect providers. */

export { accessTokenVerifier, beginOidc, finishOidc, logoutUrl, provisionUser } from "./on_demand.ts";
export { sealFlow, takeFlow } from "./flow.ts";
