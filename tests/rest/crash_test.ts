/** A service that is killed in the middle of its work: answered writes are stored after the next start. */

import assert from "node:assert/strict";
import { openFileDatabase } from "../../src/db/file_client.ts";
import { adminOf, type RunningService, startService, testFolder } from "../cli/process.ts";
import { testContext } from "../support/context.ts";
import { PATHS } from "../support/paths.ts";
import { assertReplayable } from "../support/replay.ts";
import { metadata } from "../support/stored.ts";

const CLIENTS = 4;
/** Number of responses before the service is killed. */
const ENOUGH = 150;

/** Rows that exist, and rows that do not, according to the responses. */
interface Reported {
  readonly present: Map<number, string>;
  readonly gone: Set<number>;
  answers: number;
}

/** Creates, changes and deletes until the connection breaks, and records only answered requests. */
async function write(
  { url }: RunningService,
  token: string,
  { number, reported }: { number: number; reported: Reported },
): Promise<void> {
  const send = async (method: string, path: string, body?: unknown): Promise<Response> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Token ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    assert(response.ok, `${method} ${path} ${response.status}`);
    reported.answers++;
    return response;
  };
  for (let round = 0;; round++) {
    const serial = (number + 1) * 100_000 + round * 10;
    const made = await send("POST", PATHS.certificates, [metadata(serial), metadata(serial + 1)]);
    const [kept, dropped] = (await made.json()).map(({ id }: { id: number }) => id);
    reported.present.set(kept, "").set(dropped, "");
    const changed = await send("PATCH", `${PATHS.certificates}${kept}/`, {
      private_key_location: `round ${round}`,
    });
    await changed.body?.cancel();
    reported.present.set(kept, `round ${round}`);
    // From here on it may be deleted, answered or not.
    reported.present.delete(dropped);
    await send("DELETE", `${PATHS.certificates}${dropped}/`);
    reported.gone.add(dropped);
  }
}

Deno.test("after kill -9 every answered write is stored, and the change log matches the rows", async () => {
  await using folder = await testFolder();
  const env = { CERTMGR_DATA_DIR: `${folder.path}/data` };
  const reported: Reported = { present: new Map(), gone: new Set(), answers: 0 };
  let token = "";
  for (let run = 0; run < 2; run++) {
    await using service = await startService(env);
    token ||= adminOf(service.greeting).token;
    const enough = reported.answers + ENOUGH;
    const clients = Array.from({ length: CLIENTS }, (_, number) => {
      return write(service, token, { number: run * CLIENTS + number, reported });
    });
    const broken = Promise.allSettled(clients);
    while (reported.answers < enough) await new Promise((resolve) => setTimeout(resolve, 5));
    service.signal("SIGKILL");
    for (const result of await broken) {
      assert(result.status === "rejected" && result.reason instanceof TypeError);
    }
    await service.ended();
  }
  await using service = await startService(env);
  const response = await fetch(`${service.url}${PATHS.certificates}?limit=0&fields=id,private_key_location`, {
    headers: { authorization: `Token ${token}` },
  });
  const { results } = await response.json();
  const stored = new Map<number, string>(
    results.map((row: { id: number; private_key_location: string }) => [row.id, row.private_key_location]),
  );
  for (const [id, location] of reported.present) {
    // A change that was not answered may be stored or not.
    assert(location === "" ? stored.has(id) : stored.get(id) === location, `Certificate ${id} ${location}`);
  }
  for (const id of reported.gone) assert(!stored.has(id), `Certificate ${id} is back`);
  service.signal("SIGTERM");
  await service.ended();
  const database = await openFileDatabase({ path: `${env.CERTMGR_DATA_DIR}/certmgr.db` });
  try {
    await assertReplayable(testContext({ database }), ["certmgr.certificate", "users.user"]);
  } finally {
    database.close();
  }
});
