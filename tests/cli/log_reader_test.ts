/** The log of a service process, with readers that stall, go away, or are files. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { SERVICE, serviceFlags } from "../../tools/start.ts";
import { TextLineStream } from "../support/text_lines.ts";
import { testFolder } from "./process.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
/** More lines than fit into a pipe and the buffer of the log: each has about 250 bytes. */
const REQUESTS = 8_000;

interface Started extends AsyncDisposable {
  readonly child: Deno.ChildProcess;
  readonly url: string;
  readonly token: string;
}

/** Starts a service; its standard error goes to a file if one is given, and otherwise to a pipe that is not read. */
async function start(folder: string, logFile?: string): Promise<Started> {
  const data = `${folder}/data`;
  const service = [
    Deno.execPath(),
    ..."run -q --no-check --no-prompt".split(" "),
    ...serviceFlags([data]),
    SERVICE,
  ];
  const [program, ...args] = logFile === undefined
    ? service
    : ["/bin/sh", "-c", 'exec "$@" 2>"$0"', logFile, ...service];
  const child = new Deno.Command(program as string, {
    args,
    cwd: PROJECT,
    env: { CERTMGR_DATA_DIR: data, CERTMGR_PORT: "0", CERTMGR_RATE_LIMIT: "0", NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream())
    .getReader();
  let text = "";
  while (!/Listening on (\S+)\//.test(text)) {
    const { value, done } = await lines.read();
    if (done) assert.fail(text);
    text += `${value}\n`;
  }
  return {
    child,
    url: /Listening on (\S+)\//.exec(text)?.[1] as string,
    token: /API token {2}(\S+)/.exec(text)?.[1] as string,
    async [Symbol.asyncDispose](): Promise<void> {
      try {
        child.kill("SIGKILL");
      } catch {
        // The service has ended.
      }
      await child.status;
      await lines.cancel();
      if (!child.stderr.locked) await child.stderr.cancel();
    },
  };
}

/** Sends requests on some connections and returns the number of those answered with 200. */
async function send(url: string, count: number): Promise<number> {
  let [next, answered] = [0, 0];
  const client = async (): Promise<void> => {
    while (next++ < count) {
      const response = await fetch(`${url}/healthz?${next}`, { signal: AbortSignal.timeout(10_000) });
      await response.body?.cancel();
      if (response.status === 200) answered++;
    }
  };
  await Promise.all(Array.from({ length: 8 }, client));
  return answered;
}

async function droppedLines({ url, token }: Started): Promise<number> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Token ${token}` } });
  return Number(/^certmgr_log_lines_dropped_total (\d+)$/m.exec(await response.text())?.[1]);
}

Deno.test("a stalled reader of the log neither stops the service nor delays its end, and dropped lines are counted", async () => {
  await using folder = await testFolder();
  await using service = await start(folder.path);
  assert.equal(await send(service.url, REQUESTS), REQUESTS);
  const dropped = await droppedLines(service);
  assert(dropped > 0 && dropped < REQUESTS, `${dropped} lines`);
  const started = performance.now();
  service.child.kill("SIGTERM");
  assert.equal((await service.child.status).code, 0);
  assert(performance.now() - started < 30_000);
});

Deno.test("a log reader that ends does not stop the service", async () => {
  await using folder = await testFolder();
  await using service = await start(folder.path);
  await service.child.stderr.cancel();
  // The service notices the closed pipe at a write, which may come after the response.
  let dropped = 0;
  for (let round = 0; dropped < 100 && round < 50; round++) {
    assert.equal(await send(service.url, 100), 100);
    dropped = await droppedLines(service);
  }
  assert(dropped >= 100, `${dropped} lines`);
});

Deno.test("a file gets every line, in order, the last one too", async () => {
  await using folder = await testFolder();
  const logFile = `${folder.path}-log`;
  try {
    await using service = await start(folder.path, logFile);
    for (let request = 0; request < 50; request++) await send(service.url, 1);
    assert.equal(await droppedLines(service), 0);
    service.child.kill("SIGTERM");
    assert.equal((await service.child.status).code, 0);
    const lines = (await Deno.readTextFile(logFile)).trimEnd().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual([lines[0].event, lines.at(-1).event], ["started", "stopped"]);
    assert.equal(lines.filter(({ path }) => path === "/healthz").length, 50);
    const times = lines.map(({ time }) => time);
    assert.deepEqual(times, times.toSorted());
  } finally {
    await Deno.remove(logFile);
  }
});
