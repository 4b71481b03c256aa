/** A real OpenID Connect provider whose responses a test can falsify. */

import { createServer, type Server } from "node:http";
import Provider from "oidc-provider";

/** A user of the provider. */
export interface ProviderUser {
  readonly name: string;
  groups: readonly string[];
  /** Claims instead of those for name and groups. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** A running provider. */
export interface TestProvider extends AsyncDisposable {
  readonly issuer: string;
  readonly users: Map<string, ProviderUser>;
  /** Changes the ID token before it is sent; undefined to keep it. */
  falsify: ((idToken: string) => string | Promise<string>) | undefined;
  /** Closes every connection without a response. */
  down: boolean;
  /** Paths that were requested, in order. */
  readonly asked: string[];
  /** Replaces the signing keys: tokens signed by the old ones are no longer genuine. */
  rotate(): Promise<void>;
  /** Replaces claims or header members of a JWT, and signs it with the current key. */
  signed(token: string, more: { header?: object; claims?: object }): Promise<string>;
}

/** Audience of access tokens for the API. */
export const API = "https://certmgr.example/api/";

export const CLIENT_ID = "certmgr";
export const CLIENT_SECRET = "a-secret-of-the-client-0123456789";

/** Starts a provider: `await using provider = await testProvider("https://certmgr.example/sign-in/oidc/callback")`. */
export async function testProvider(redirectUri: string): Promise<TestProvider> {
  const users = new Map<string, ProviderUser>();
  // deno-lint-ignore no-explicit-any -- the library has no types
  const made: { provider?: any } = {};
  const state = {
    users,
    falsify: undefined as TestProvider["falsify"],
    down: false,
    asked: [] as string[],
  };
  let issuer = "http://localhost";
  const server: Server = createServer((request, response) => {
    if (state.down) {
      response.destroy();
      return;
    }
    state.asked.push(new URL(request.url ?? "/", issuer).pathname);
    if (state.falsify === undefined || request.url?.startsWith("/token") !== true) {
      made.provider.callback()(request, response);
      return;
    }
    const { falsify } = state;
    const end = response.end.bind(response);
    // deno-lint-ignore no-explicit-any -- Node's overloads
    (response as any).end = (body: any, ...more: any[]): any => {
      const json = JSON.parse(String(body));
      void Promise.resolve(json.id_token === undefined ? "" : falsify(json.id_token)).then((idToken) => {
        const text = JSON.stringify({ ...json, ...(idToken === "" ? {} : { id_token: idToken }) });
        response.setHeader("content-length", new TextEncoder().encode(text).length);
        end(text, ...more);
      });
      return response;
    };
    made.provider.callback()(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const { port } = server.address() as { port: number };
  issuer = `http://127.0.0.1:${port}`;
  const configuration = {
    clients: [{
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      redirect_uris: [redirectUri],
      post_logout_redirect_uris: [new URL("/sign-in/", redirectUri).href],
    }],
    claims: {
      openid: ["sub"],
      profile: ["preferred_username"],
      email: ["email", "email_verified"],
      groups: ["groups"],
    },
    scopes: ["openid", "profile", "email", "groups"],
    conformIdTokenClaims: false,
    cookies: { keys: ["a-key-of-the-cookies"] },
    findAccount: (_ctx: unknown, id: string) => {
      const user = users.get(id);
      return user === undefined ? undefined : {
        accountId: id,
        claims: () => ({
          sub: id,
          preferred_username: user.name,
          email: `${user.name}@acme.example`,
          groups: user.groups,
          ...user.claims,
        }),
      };
    },
    features: {
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({
          scope: "read",
          audience: API,
          accessTokenFormat: "jwt",
          accessTokenTTL: 600,
        }),
      },
      rpInitiatedLogout: { enabled: true },
    },
  };
  let signingKey: CryptoKey;
  let kid = "";
  async function rotate(): Promise<void> {
    const { privateKey } = await crypto.subtle.generateKey(
      {
        name: "RSASSA-PKCS1-v1_5",
        modulusLength: 2048,
        publicExponent: new Uint8Array([1, 0, 1]),
        hash: "SHA-256",
      },
      true,
      ["sign", "verify"],
    );
    const { key_ops: _, ext: __, ...jwk } = await crypto.subtle.exportKey("jwk", privateKey);
    [signingKey, kid] = [privateKey, crypto.randomUUID()];
    const key = { ...jwk, kid, use: "sig", alg: "RS256" };
    made.provider = new Provider(issuer, { ...configuration, jwks: { keys: [key] } });
  }
  await rotate();
  return Object.assign(state, {
    issuer,
    rotate,
    async signed(token: string, { header, claims }: { header?: object; claims?: object }): Promise<string> {
      const text = rewritten(token, {
        header: { kid, ...header },
        ...(claims === undefined ? {} : { claims }),
        signature: "",
      });
      const bytes = new TextEncoder().encode(text.slice(0, -1));
      const signature = await crypto.subtle.sign("RSASSA-PKCS1-v1_5", signingKey, bytes);
      return text + new Uint8Array(signature).toBase64({ alphabet: "base64url", omitPadding: true });
    },
    [Symbol.asyncDispose]: (): Promise<void> =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  });
}

/** Signs in at the provider like a browser, and returns the URL of the final redirect. */
export async function signInAtProvider(start: string, login: string): Promise<string> {
  const cookies = new Map<string, string>();
  let url = new URL(start);
  const { origin } = url;
  let form: Record<string, string> | undefined;
  for (let step = 0; step < 15; step++) {
    const response = await fetch(url, {
      redirect: "manual",
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    form = undefined;
    const location = response.headers.get("location");
    const text = await response.text();
    if (location !== null) {
      url = new URL(location, url);
      if (url.origin !== origin) return url.href;
      continue;
    }
    const action = /action="([^"]+)"/.exec(text)?.[1];
    if (action === undefined) throw new Error(`No form: ${response.status} ${text.slice(0, 500)}`);
    url = new URL(action, url);
    form = text.includes('name="login"') ? { prompt: "login", login, password: "x" } : { prompt: "consent" };
  }
  throw new Error("The provider does not lead back");
}

/** Signs in at the provider like a program of the user, and returns an access token for the API. */
export async function accessTokenOf(
  provider: TestProvider,
  login: string,
  redirectUri: string,
): Promise<string> {
  const verifier = "v".repeat(43);
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  const challenge = new Uint8Array(hash).toBase64({ alphabet: "base64url", omitPadding: true });
  const client = { client_id: CLIENT_ID, redirect_uri: redirectUri, resource: API };
  const query = new URLSearchParams({
    ...client,
    response_type: "code",
    scope: "openid read",
    code_challenge: challenge,
    code_challenge_method: "S256",
  });
  const back = new URL(await signInAtProvider(`${provider.issuer}/auth?${query}`, login));
  const response = await fetch(`${provider.issuer}/token`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${CLIENT_ID}:${CLIENT_SECRET}`)}` },
    body: new URLSearchParams({
      ...client,
      grant_type: "authorization_code",
      code: back.searchParams.get("code") as string,
      code_verifier: verifier,
    }),
  });
  const tokens = await response.json();
  if (tokens.access_token === undefined) throw new Error(`No access token: ${JSON.stringify(tokens)}`);
  return tokens.access_token;
}

/** Replaces claims or header members of a JWT, and keeps its signature unless another one is given. */
export function rewritten(
  token: string,
  { header = {}, claims = {}, signature }: { header?: object; claims?: object; signature?: string },
): string {
  const [head = "", body = "", original = ""] = token.split(".");
  const part = (text: string, more: object): string => {
    const json = JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(text, { alphabet: "base64url" })));
    return new TextEncoder().encode(JSON.stringify({ ...json, ...more })).toBase64({
      alphabet: "base64url",
      omitPadding: true,
    });
  };
  return `${part(head, header)}.${part(body, claims)}.${signature ?? original}`;
}
