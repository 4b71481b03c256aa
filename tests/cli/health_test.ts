import assert from "node:assert/strict";
import { freePort } from "../support/loopback.ts";
import { certmgr, startService, testFolder } from "./process.ts";

Deno.test("health exits with 0 for a service that is ready, and with 1 for one that has ended", async () => {
  await using folder = await testFolder();
  const port = String(freePort());
  const env = { CERTMGR_DATA_DIR: folder.path, CERTMGR_PORT: port };
  for (const host of ["127.0.0.1", "0.0.0.0"]) {
    await using service = await startService({ ...env, CERTMGR_HOST: host });
    assert.deepEqual(await certmgr(["health"], { env: { ...env, CERTMGR_HOST: host } }), {
      code: 0,
      stdout: "ready\n",
      stderr: "",
    });
    const named = await certmgr(["health", "--url", `http://127.0.0.1:${port}`]);
    assert.deepEqual([named.code, named.stdout], [0, "ready\n"]);
    service.signal("SIGTERM");
    await service.ended();
  }
  const { code, stdout, stderr } = await certmgr(["health"], { env });
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(
    stderr,
    /^certmgr: Service at http:\/\/127\.0\.0\.1:\d+\/readyz cannot be reached: .*refused\n$/,
  );
});

Deno.test("health exits with 1 and the reason for a service that is not ready or does not answer", async () => {
  const late = Promise.withResolvers<Response>();
  const answers: Record<string, [reply: () => Promise<Response>, text: RegExp]> = {
    "not ready": [
      () => Promise.resolve(new Response("The database is not available.\n", { status: 503 })),
      /is not ready: The database is not available\.\n$/,
    ],
    "silent": [
      () => late.promise,
      /cannot be reached: the server did not respond in time\n$/,
    ],
  };
  for (const [name, [reply, text]] of Object.entries(answers)) {
    const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, reply);
    const { code, stderr } = await certmgr(["health", "--url", `http://127.0.0.1:${server.addr.port}`]);
    if (name === "silent") late.resolve(new Response("late"));
    await server.shutdown();
    assert.equal(code, 1);
    assert.match(stderr, text);
  }
});

Deno.test("health with an invalid address or setting is a usage error", async () => {
  assert.equal((await certmgr(["health", "--url", "nowhere"])).code, 2);
  assert.equal((await certmgr(["health"], { env: { CERTMGR_PORT: "x" } })).code, 2);
});
