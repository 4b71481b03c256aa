/** The receiver that docs/webhooks.md shows. */

import assert from "node:assert/strict";
import { startProgram, until } from "./processes.ts";
import { signatureHeaders } from "../../../../src/domain/webhooks/sending/attempt.ts";

const EXAMPLE = "docs/receiver.ts";
const MESSAGE = JSON.stringify({ event: "created", model: "certificate", data: { id: 7 } });

for (const secret of ["correct horse battery", `whsec_${new Uint8Array(24).fill(9).toBase64()}`]) {
  Deno.test(`the example receiver accepts a message that is signed with ${secret.slice(0, 6)}… once, and nothing else`, async () => {
    await using program = await startProgram(EXAMPLE, { WEBHOOK_SECRET: secret, PORT: "0" });
    const send = async (own: { secret?: string; now?: number; body?: string }): Promise<number> => {
      const { body = MESSAGE, ...rest } = own;
      const headers = signatureHeaders({ secret, id: "msg_1", body: MESSAGE, now: Date.now(), ...rest });
      const response = await fetch(program.url.replace("localhost", "127.0.0.1"), {
        method: "POST",
        headers,
        body,
      });
      await response.body?.cancel();
      return response.status;
    };
    assert.equal(await send({}), 204);
    assert.equal(await send({}), 204);
    assert.equal(await send({ secret: "another" }), 401);
    assert.equal(await send({ secret: "" }), 401);
    assert.equal(await send({ body: MESSAGE.replace("7", "8") }), 401);
    assert.equal(await send({ now: Date.now() - 3_600_000 }), 401);
    await until("its line", 5_000, () => Promise.resolve(program.lines.length > 0));
    assert.deepEqual(program.lines, ["created certificate 7"]);
  });
}

Deno.test("docs/webhooks.md shows the example receiver unchanged, in at most 35 lines", async () => {
  const example = await Deno.readTextFile(EXAMPLE);
  const page = await Deno.readTextFile("docs/webhooks.md");
  assert.ok(
    page.includes(example.trimEnd().replaceAll(/^(?=.)/gm, "    ")),
    "docs/webhooks.md differs from docs/receiver.ts",
  );
  assert.ok(example.split("\n").length <= 35);
});
