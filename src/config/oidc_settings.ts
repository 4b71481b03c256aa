/** Settings of the sign-in: OpenID Connect, trusted proxies, local passwords. */

import { isDictionary } from "../filters/mod.ts";
import {
  ENVIRONMENT_PROVIDER,
  LOCAL_ONLY,
  type OidcProvider,
  SECOND_FACTOR_RULES,
  type SecondFactorRule,
  type SignInSettings,
} from "../auth/context.ts";
import { isThisMachine, webUrlFault } from "../base/web_url.ts";
import {
  commaList,
  filePath,
  headerToken,
  InvalidValue,
  optional,
  parseBoolean,
  setting,
} from "./parsers.ts";

/** Settings by the key of their value in the configuration. */
export const SIGN_IN = {
  oidcIssuer: optional("CERTMGR_OIDC_ISSUER", {
    description:
      "Issuer URL of the OpenID Connect provider. If unset: no single sign-on with OpenID Connect.",
    parse: issuerUrl,
  }),
  oidcClientId: optional("CERTMGR_OIDC_CLIENT_ID", {
    description: "Client id at the provider.",
    parse: plainText,
  }),
  oidcClientSecret: optional("CERTMGR_OIDC_CLIENT_SECRET", {
    description: "Client secret at the provider; unset for a public client.",
    parse: headerToken,
    secret: true,
  }),
  oidcScopes: setting("CERTMGR_OIDC_SCOPES", {
    description: "Scopes that are requested, separated by spaces.",
    default: "openid profile email groups",
    parse: scopes,
  }),
  oidcName: setting("CERTMGR_OIDC_NAME", {
    description: "Label of the button on the sign-in page.",
    default: "Single sign-on",
    parse: plainText,
  }),
  oidcGroupsClaim: setting("CERTMGR_OIDC_GROUPS_CLAIM", {
    description: "Claim with the user's groups, or the path of a nested one: `realm_access.roles`.",
    default: "groups",
    parse: plainText,
  }),
  oidcGroups: setting("CERTMGR_OIDC_GROUPS", {
    description:
      "Values of that claim and the groups that they map to: `claim=group`, separated by commas. If set, users who have none of these values cannot sign in and are deactivated.",
    default: "",
    parse: groupPairs,
  }),
  oidcSuperuserGroups: setting("CERTMGR_OIDC_SUPERUSER_GROUPS", {
    description: "Values of that claim, separated by commas, that make a user a superuser.",
    default: "",
    parse: commaList(plainText),
  }),
  oidcCreateUsers: setting("CERTMGR_OIDC_CREATE_USERS", {
    description:
      "Whether the first sign-in creates the user; otherwise a user with the same username must exist.",
    default: "true",
    parse: parseBoolean,
  }),
  oidcApiAudience: optional("CERTMGR_OIDC_API_AUDIENCE", {
    description:
      "Audience of the provider's access tokens (JWT) that the API accepts, other than the client id. If unset: none.",
    parse: plainText,
  }),
  oidcFile: optional("CERTMGR_OIDC_FILE", {
    description: "JSON file with further providers: a list of objects with these settings in lower case.",
    parse: filePath,
  }),
  localSignIn: setting("CERTMGR_LOCAL_SIGN_IN", {
    description: "Whether usernames and passwords are accepted.",
    default: "true",
    parse: parseBoolean,
  }),
  requireSecondFactor: setting("CERTMGR_REQUIRE_SECOND_FACTOR", {
    description:
      "Which accounts with a password need a second factor: `none`, `superusers` or `all`. Users without one must add it when they sign in.",
    default: "none",
    parse: secondFactorRule,
  }),
  trustedUserHeader: optional("CERTMGR_TRUSTED_USER_HEADER", {
    description:
      "Header in which a proxy of `CERTMGR_TRUSTED_PROXIES` names the user, who must exist. The proxy must remove it from clients' requests.",
    parse: headerName,
  }),
};

function plainText(text: string): string {
  if (/^[^\p{Cc}]{1,200}$/u.test(text)) return text;
  throw new InvalidValue("1 to 200 characters without control characters");
}

function headerName(text: string): string {
  if (/^[A-Za-z0-9-]{1,100}$/.test(text)) return text.toLowerCase();
  throw new InvalidValue("a header name such as X-Remote-User");
}

function secondFactorRule(text: string): SecondFactorRule {
  const rule = SECOND_FACTOR_RULES.find((one) => one === text);
  if (rule !== undefined) return rule;
  throw new InvalidValue(SECOND_FACTOR_RULES.join(", "));
}

function scopes(text: string): string {
  const words = text.split(/\s+/).filter(Boolean);
  if (words.includes("openid")) return words.join(" ");
  throw new InvalidValue('scopes separated by spaces, with "openid"');
}

/**
 * Requires https except on this machine, because anyone on the network could respond instead of the provider.
 */
function issuerUrl(text: string): string {
  const url = webUrlFault(text) === undefined ? URL.parse(text) : null;
  if (
    url !== null && (url.protocol === "https:" || isThisMachine(url)) && url.search === "" && url.hash === ""
  ) {
    return text;
  }
  throw new InvalidValue("an https URL without query, such as https://login.example.com/realms/main");
}

function groupPairs(text: string): readonly (readonly [string, string])[] {
  return commaList((part): readonly [string, string] => {
    const at = part.lastIndexOf("=");
    if (at > 0 && at < part.length - 1) return [part.slice(0, at).trim(), part.slice(at + 1).trim()];
    throw new InvalidValue("pairs such as it-security=Operators, separated by commas");
  })(text);
}

type SignInValues = {
  readonly [K in keyof typeof SIGN_IN]: ReturnType<(typeof SIGN_IN)[K]["parse"]> | undefined;
};

/** Returns the sign-in settings without the providers in the file, which the entry point reads. */
export function signInSettings(given: Partial<SignInValues>): SignInSettings {
  const { trustedUserHeader, requireSecondFactor = "none", localSignIn = LOCAL_ONLY.local } = given;
  const provider = environmentProvider(given);
  return {
    providers: provider === undefined ? [] : [provider],
    local: localSignIn,
    requireSecondFactor,
    ...(trustedUserHeader === undefined ? {} : { trustedUserHeader }),
  };
}

function environmentProvider(given: Partial<SignInValues>): OidcProvider | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId } = given;
  if (issuer === undefined || clientId === undefined) return undefined;
  const apiAudience = given.oidcApiAudience;
  return {
    id: ENVIRONMENT_PROVIDER,
    name: given.oidcName ?? "",
    issuer,
    clientId,
    ...(given.oidcClientSecret === undefined ? {} : { clientSecret: given.oidcClientSecret }),
    scopes: given.oidcScopes ?? "openid",
    groupsClaim: given.oidcGroupsClaim ?? "groups",
    groups: given.oidcGroups ?? [],
    superuserGroups: given.oidcSuperuserGroups ?? [],
    createUsers: given.oidcCreateUsers ?? true,
    ...(apiAudience === undefined ? {} : { apiAudience }),
  };
}

/**
 * Parses the file with further providers: `[{"id": "partner", "issuer": …, "client_id": …, …}]`, with the
 * names of the settings. Throws an Error that names the provider and the setting.
 */
export function parseProviders(text: string): OidcProvider[] {
  const entries: unknown = JSON.parse(text);
  if (!Array.isArray(entries)) throw new Error("Expected a list of providers.");
  const ids = new Set<string>([ENVIRONMENT_PROVIDER]);
  return entries.map((entry: unknown, index) => {
    const { id, ...fields } = isDictionary(entry) ? entry : {};
    if (typeof id !== "string" || !/^[a-z0-9-]{1,30}$/.test(id) || ids.has(id)) {
      const taken = [...ids].join(", ");
      throw new Error(`Provider ${index}: Expected an id of letters, digits and -, other than ${taken}.`);
    }
    ids.add(id);
    const given: Record<string, unknown> = {};
    const byName = new Map(Object.entries(SIGN_IN).map(([key, one]) => [one.name, { key, one }]));
    for (const [name, value] of Object.entries(fields)) {
      const found = byName.get(`CERTMGR_OIDC_${name.toUpperCase()}`);
      if (found === undefined || name === "file") {
        throw new Error(`Provider ${id}: Unknown setting "${name}".`);
      }
      try {
        given[found.key] = found.one.parse(String(value));
      } catch (error) {
        if (!(error instanceof InvalidValue)) throw error;
        throw new Error(`Provider ${id}, ${name}: Expected ${error.expected}.`);
      }
    }
    for (const { key, one } of byName.values()) {
      if (!(key in given) && one.default !== null) given[key] = one.parse(one.default);
    }
    const provider = environmentProvider(given);
    if (provider === undefined) throw new Error(`Provider ${id}: issuer and client_id are required.`);
    return { ...provider, id, name: fields.name === undefined ? id : provider.name };
  });
}
