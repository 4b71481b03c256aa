/** Expensive bodies: the memory of a service process stays in proportion to their bytes. */

import assert from "node:assert/strict";
import { MAX_ANONYMOUS_BODY_BYTES } from "../../src/base/limits.ts";
import { adminOf, type RunningService, startService, testFolder } from "../cli/process.ts";
import { connectRaw, type RawAnswer } from "../support/raw_http.ts";

/** Maximum growth of a service's memory in megabytes: that of its heap for ordinary requests. */
const MEMORY_MB = 60;

async function memoryMb({ url }: RunningService, token: string): Promise<number> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Token ${token}` } });
  const text = await response.text();
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]) / 1e6;
}

interface Sent {
  readonly path: string;
  readonly headers: string;
  /** Sent repeatedly. */
  readonly block: string;
  readonly times: number;
  readonly end?: string;
}

/** Sends a request whose body is a block many times, until it is answered. */
async function send({ url }: RunningService, sent: Sent): Promise<RawAnswer | undefined> {
  using connection = await connectRaw(url);
  await connection.send(`POST ${sent.path} HTTP/1.1\r\nHost: localhost\r\n${sent.headers}\r\n\r\n`);
  for (let time = 0; time < sent.times && await connection.send(sent.block); time++);
  await connection.send(sent.end ?? "");
  return await connection.answer();
}

const JSON_TYPE = "Content-Type: application/json";
const FORM_TYPE = "Content-Type: application/x-www-form-urlencoded";
const CHUNKED = "Transfer-Encoding: chunked";

Deno.test("a body of one-byte chunks takes memory for its bytes, not for its chunks", async () => {
  await using folder = await testFolder();
  await using service = await startService({ CERTMGR_DATA_DIR: `${folder.path}/data` });
  const { token } = adminOf(service.greeting);
  const before = await memoryMb(service, token);
  const block = "1\r\n \r\n".repeat(500);
  const answers = [
    await send(service, {
      path: "/api/extras/tags/",
      headers: `${JSON_TYPE}\r\n${CHUNKED}\r\nAuthorization: Token ${token}`,
      block,
      times: 100,
      end: "2\r\n{}\r\n0\r\n\r\n",
    }),
    await send(service, {
      path: "/api/users/tokens/provision/",
      headers: `${JSON_TYPE}\r\n${CHUNKED}`,
      block,
      times: 30,
      end: "2\r\n{}\r\n0\r\n\r\n",
    }),
  ];
  assert.deepEqual(answers.map((answer) => answer?.status), [400, 400]);
  const grown = await memoryMb(service, token) - before;
  assert(grown < MEMORY_MB, `Memory grew by ${grown} MB`);
});

Deno.test("an anonymous body is refused as soon as it exceeds its limit", async () => {
  await using folder = await testFolder();
  await using service = await startService({ CERTMGR_DATA_DIR: `${folder.path}/data` });
  const { token } = adminOf(service.greeting);
  const before = await memoryMb(service, token);
  const block = "a&".repeat(2_000);
  const chunk = `${block.length.toString(16)}\r\n${block}\r\n`;
  for (let round = 0; round < 4; round++) {
    const answers = await Promise.all(Array.from({ length: 8 }, () =>
      send(service, {
        path: "/sign-in/",
        headers: `${FORM_TYPE}\r\n${CHUNKED}`,
        block: chunk,
        times: MAX_ANONYMOUS_BODY_BYTES / block.length + 1,
      })));
    assert.deepEqual(answers.map((answer) => answer?.status), Array(8).fill(413));
  }
  const grown = await memoryMb(service, token) - before;
  assert(grown < MEMORY_MB, `Memory grew by ${grown} MB`);
  const announced = await send(service, {
    path: "/api/users/tokens/provision/",
    headers: `${JSON_TYPE}\r\nContent-Length: ${MAX_ANONYMOUS_BODY_BYTES + 1}`,
    block: "",
    times: 0,
  });
  assert.equal(announced?.status, 413);
  const fits = await send(service, {
    path: "/api/users/tokens/provision/",
    headers: `${JSON_TYPE}\r\nContent-Length: ${MAX_ANONYMOUS_BODY_BYTES}`,
    block: " ",
    times: MAX_ANONYMOUS_BODY_BYTES - 2,
    end: "{}",
  });
  assert.equal(fits?.status, 400);
});

Deno.test("a form with too many fields is refused before it is parsed, also from a signed-in user", async () => {
  await using folder = await testFolder();
  await using service = await startService({ CERTMGR_DATA_DIR: `${folder.path}/data` });
  const { token } = adminOf(service.greeting);
  const before = await memoryMb(service, token);
  const part = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n';
  const times = Math.floor(9_000_000 / part.length / 1_000);
  const answer = await send(service, {
    path: "/api/plugins/certmgr/certificates/import-file/",
    headers:
      `Content-Type: multipart/form-data; boundary=x\r\nAuthorization: Token ${token}\r\nContent-Length: ${
        times * 1_000 * part.length
      }`,
    block: part.repeat(1_000),
    times,
  });
  const { status, text } = answer as RawAnswer;
  assert.deepEqual([status, JSON.parse(text).detail], [
    400,
    "The form has too many fields. Expected at most 5000.",
  ]);
  const grown = await memoryMb(service, token) - before;
  assert(grown < MEMORY_MB * 2, `Memory grew by ${grown} MB`);
});
