/** The telemetry of a running service: spans with routes, and no secrets. */

import assert from "node:assert/strict";
import { api, startService, testFolder } from "./process.ts";

const TOKEN = "abcdefghijABCDEFGHIJ0123456789abcdefghij";
const PASSWORD = "correct horse battery";
const JO_PASSWORD = "staple of a pass phrase";
const KEY_BLOCK =
  "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIKsecretsecretsecretsecretsecret\n-----END PRIVATE KEY-----";
const TRACING = { OTEL_DENO: "true", OTEL_EXPORTER_OTLP_PROTOCOL: "console" };

/** Returns the output of a service from its start to its end, while `work` uses it. */
async function printed(
  env: Readonly<Record<string, string>>,
  work: (service: { url: string }) => Promise<void>,
): Promise<string> {
  await using folder = await testFolder();
  await using service = await startService({
    CERTMGR_DATA_DIR: folder.path,
    CERTMGR_ADMIN_TOKEN: TOKEN,
    CERTMGR_ADMIN_PASSWORD: PASSWORD,
    ...env,
  });
  await work(service);
  service.signal("SIGTERM");
  const { code, stdout, stderr } = await service.ended();
  assert.equal(code, 0, stderr);
  return [...service.greeting, stdout, stderr].join("\n");
}

Deno.test("with OTEL_DENO=true each request is a span that is named after its route", async () => {
  const text = await printed(TRACING, async (service) => {
    await api(service, { token: TOKEN, path: "extras/tags/17/" });
    await fetch(`${service.url}/graphql/?query={__typename}`, {
      headers: { authorization: `Token ${TOKEN}` },
    })
      .then((response) => response.text());
    await fetch(`${service.url}/healthz`).then((response) => response.text());
    await fetch(`${service.url}/no/such/page`).then((response) => response.text());
  });
  for (const name of ["GET /api/extras/tags/{id}/", "GET /graphql/", "GET /healthz"]) {
    assert.ok(text.includes(`SPAN ${name} [`), `Missing span ${name} in\n${text}`);
  }
  assert.match(text, /http\.route: \/api\/extras\/tags\/\{id\}\/\n/);
  assert.doesNotMatch(text, /http\.route: \/no\/such/);
  // The log line and the span of a request have the same request id.
  const line = text.split("\n").find((one) => one.includes('"route":"/healthz"')) as string;
  assert.ok(text.includes(`certmgr.request_id: ${JSON.parse(line).request_id}`));
});

for (const [title, env] of [["the log", {}], ["the log and the spans", TRACING]] as const) {
  Deno.test(`no secret is in ${title} of typical use`, async () => {
    const secrets = [TOKEN, PASSWORD, JO_PASSWORD, "MC4CAQAwBQYDK2VwBCIEIK"];
    const text = await printed({ ...env, CERTMGR_LOG_LEVEL: "debug" }, async (service) => {
      const call = (path: string, body?: unknown): ReturnType<typeof api> =>
        api(service, { token: TOKEN, path, ...(body === undefined ? {} : { body }) });
      const user = await call("users/users/", { username: "jo", password: JO_PASSWORD });
      assert.equal(user.status, 201);
      const own = await call("users/tokens/provision/", { username: "jo", password: JO_PASSWORD });
      assert.equal(own.status, 201);
      secrets.push(own.json.key as string);
      const wrong = { username: "jo", password: `${JO_PASSWORD}?` };
      assert.equal((await call("users/tokens/provision/", wrong)).status, 401);
      assert.equal((await call("users/users/", { username: "al", password: "too short" })).status, 400);
      const key = await call("plugins/certmgr/certificates/import/", { pem_content: KEY_BLOCK });
      assert.equal(key.status, 400);
      const unknown = await api(service, { token: "Q".repeat(40), path: "status/" });
      assert.equal(unknown.status, 401);
      secrets.push("Q".repeat(40));
    });
    assert.ok(text.includes('"event":"request"'), text);
    assert.equal(text.includes("SPAN"), "OTEL_DENO" in env);
    for (const secret of secrets) assert.ok(!text.includes(secret), `${secret} is in\n${text}`);
  });
}
