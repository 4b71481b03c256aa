/** With sign-in settings that would admit the wrong users, or no one, the service does not start. */

import assert from "node:assert/strict";
import { certmgr, type Environment, testFolder } from "./process.ts";

const PROVIDER = {
  CERTMGR_OIDC_ISSUER: "https://id.acme.example",
  CERTMGR_OIDC_CLIENT_ID: "certmgr",
  CERTMGR_OIDC_CLIENT_SECRET: "secret",
};
const SECOND = {
  id: "second",
  issuer: "https://id.acme.example",
  client_id: "certmgr-second",
  client_secret: "secret",
  name: "Second",
};

/** Returns the error of a service that refuses to start. */
async function refusal(env: Environment, file?: unknown): Promise<string> {
  await using folder = await testFolder();
  const path = `${folder.path}/oidc.json`;
  if (file !== undefined) await Deno.writeTextFile(path, JSON.stringify(file));
  const { code, stderr } = await certmgr(["serve"], {
    env: {
      CERTMGR_DATA_DIR: `${folder.path}/data`,
      CERTMGR_PORT: "0",
      ...(file === undefined ? {} : { CERTMGR_OIDC_FILE: path }),
      ...env,
    },
  });
  assert.notEqual(code, 0);
  return stderr;
}

Deno.test("the service refuses to start if the audience of access tokens is the client id, because it would accept ID tokens", async () => {
  const text = await refusal({ ...PROVIDER, CERTMGR_OIDC_API_AUDIENCE: "certmgr" });
  assert.match(
    text,
    /the audience of access tokens is the client id "certmgr"\. Register the API with another/,
  );
});

Deno.test("the service refuses to start if the audience is the client id of another provider with the same issuer", async () => {
  const text = await refusal({ ...PROVIDER, CERTMGR_OIDC_API_AUDIENCE: "certmgr-second" }, [SECOND]);
  assert.match(text, /the audience of access tokens is the client id "certmgr-second"\./);
});

Deno.test("without local sign-in and without a provider the service refuses to start", async () => {
  const text = await refusal({ CERTMGR_LOCAL_SIGN_IN: "false" });
  assert.match(text, /CERTMGR_LOCAL_SIGN_IN is "false", and there is no other sign-in/);
});
