/** Clients that hold more connections than the service may have open files. */

import assert from "node:assert/strict";
import { startService, testFolder } from "../cli/process.ts";

const REQUEST = "GET /readyz HTTP/1.1\r\nhost: localhost\r\n\r\n";

/** Opens connections until the service accepts no more, and returns them. */
async function openAll(port: number): Promise<Deno.TcpConn[]> {
  const opened: Deno.TcpConn[] = [];
  for (let n = 0; n < 300; n++) {
    try {
      opened.push(await Deno.connect({ hostname: "127.0.0.1", port }));
    } catch {
      break;
    }
  }
  return opened;
}

async function exchange(connection: Deno.TcpConn): Promise<string> {
  await connection.write(new TextEncoder().encode(REQUEST));
  const bytes = new Uint8Array(4_096);
  return new TextDecoder().decode(bytes.subarray(0, await connection.read(bytes) ?? 0));
}

/** Waits until a new connection is answered. */
async function answered(port: number): Promise<string> {
  for (let n = 0; n < 100; n++) {
    try {
      using connection = await Deno.connect({ hostname: "127.0.0.1", port });
      return await exchange(connection);
    } catch {
      await new Promise((done) => setTimeout(done, 100));
    }
  }
  return "";
}

Deno.test("a service with too many connections answers on those that it has, and accepts others when clients leave", async () => {
  await using folder = await testFolder();
  await using service = await startService(
    { CERTMGR_DATA_DIR: folder.path, CERTMGR_LOG_LEVEL: "error" },
    { openFiles: 80 },
  );
  const port = Number(new URL(service.url).port);
  // Background work opens files while it starts.
  for (let n = 0; n < 10; n++) assert.match(await answered(port), /^HTTP\/1\.1 200 /);
  await new Promise((done) => setTimeout(done, 2_000));
  const opened = await openAll(port);
  assert(opened.length > 10, `${opened.length} connections`);
  try {
    assert.match(await exchange(opened[0] as Deno.TcpConn), /^HTTP\/1\.1 200 /);
  } finally {
    for (const connection of opened) connection.close();
  }
  assert.match(await answered(port), /^HTTP\/1\.1 200 /);
  service.signal("SIGTERM");
  const { code, stderr } = await service.ended();
  assert.equal(code, 0);
  const lines = stderr.trim().split("\n").map((line) => JSON.parse(line));
  for (const { error } of lines) assert.match(error, /Too many open files/);
  assert.ok(lines.some(({ event }) => event === "connections refused"));
});
