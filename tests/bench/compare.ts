/**
 * `deno task bench:compare --base <checkout> [--count 100000] [--requests 1000] [--rounds 5] [--only detail]`: compares
 * the processor time of requests with that of another checkout. Both applications run in processes without a socket, on
 * databases with the same generated certificates, and take turns at each case. No cache should answer, so requests
 * differ. Wall times need a quiet machine, so it prints none.
 */

import { existsSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { TextLineStream } from "../support/text_lines.ts";
import { benchOptions } from "./bench_options.ts";
import {
  type Asked,
  type Case,
  casesOf,
  prepared,
  sender,
  SESSION_SECRET,
  sessionRow,
} from "./compare_cases.ts";

/** Sent to a process: the requests of a run. */
interface Run {
  readonly requests: readonly Asked[];
  readonly clients: number;
}

/** The answer: milliseconds of processor time, statements and bytes of each request. */
interface Used {
  readonly cpu: number;
  readonly statements: number;
  readonly bytes: number;
}

/** Serves runs: reads them as lines, and answers each with a line. */
async function serve(checkout: string, count: number): Promise<void> {
  const file = (path: string): string => `file://${checkout}/${path}`;
  const { benchApp }: typeof import("./bench_app.ts") = await import(
    file("tests/bench/bench_app.ts")
  );
  const { BENCH_KEY, benchDatabase }: typeof import("./bench_database.ts") = await import(
    file("tests/bench/bench_database.ts")
  );
  const { openFileDatabase }: typeof import("../../src/db/file_client.ts") = await import(
    file("src/db/file_client.ts")
  );
  const { insertRows }: typeof import("../../src/db/mod.ts") = await import(
    file("src/db/mod.ts")
  );
  const { sessions }: typeof import("../../src/db/schema/mod.ts") = await import(
    file("src/db/schema/mod.ts")
  );
  const { sha256Hex }: typeof import("../../src/base/bytes.ts") = await import(
    file("src/base/bytes.ts")
  );
  const { GENERATED_NOW }: typeof import("./inventory.ts") = await import(
    file("tests/bench/inventory.ts")
  );
  const folder = await Deno.makeTempDir({ prefix: "certmgr-compare-" });
  const path = await benchDatabase(count, folder);
  const database = await openFileDatabase({ path, durable: false });
  await database.write((tx) =>
    tx.run(insertRows(sessions, [sessionRow(sha256Hex(SESSION_SECRET), GENERATED_NOW)]))
  );
  const app = benchApp(database, { maxExportSize: 1_000_000 });
  const ask = sender(app, BENCH_KEY);
  console.log("ready");
  for await (
    const line of Deno.stdin.readable.pipeThrough(new TextDecoderStream())
      .pipeThrough(new TextLineStream())
  ) {
    const { requests: asked, clients }: Run = JSON.parse(line);
    try {
      const requests: Asked[] = [];
      for (const each of asked) requests.push(await prepared(ask, each));
      const [statements, before] = [database.statements, process.cpuUsage()];
      let bytes = 0;
      const waiting = requests.values();
      const client = async (): Promise<void> => {
        for (const each of waiting) {
          const { length } = await ask(each);
          bytes += length;
        }
      };
      await Promise.all(Array.from({ length: clients }, client));
      const { user, system } = process.cpuUsage(before);
      const used: Used = {
        cpu: (user + system) / 1_000 / requests.length,
        statements: (database.statements - statements) / requests.length,
        bytes: bytes / requests.length,
      };
      console.log(JSON.stringify(used));
    } catch (error) {
      console.log(JSON.stringify({ error: String(error) }));
    }
  }
  await Deno.remove(folder, { recursive: true });
}

/** Returns the configuration and the script of a process. Older checkouts have one configuration, for any script. */
function programOf(checkout: string): [config: string, script: string] {
  const config = `${checkout}/tests/deno.json`;
  const script = `${checkout}/tests/bench/compare.ts`;
  return existsSync(config) ? [config, script] : [`${checkout}/deno.json`, fileURLToPath(import.meta.url)];
}

/** A process that runs an application. */
class Side {
  readonly #child: Deno.ChildProcess;
  readonly #lines: ReadableStreamDefaultReader<string>;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;

  constructor(checkout: string, count: number) {
    const [config, script] = programOf(checkout);
    this.#child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-q", "-A", "--no-check", "--config", config, script, "--serve", checkout, String(count)],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    this.#lines = this.#child.stdout.pipeThrough(new TextDecoderStream())
      .pipeThrough(new TextLineStream())
      .getReader();
    this.#input = this.#child.stdin.getWriter();
  }

  async line(): Promise<string> {
    const { value, done } = await this.#lines.read();
    if (done) throw new Error("The application has ended");
    return value;
  }

  async run(run: Run): Promise<Used> {
    await this.#input.write(
      new TextEncoder().encode(`${JSON.stringify(run)}\n`),
    );
    const answer: Used & { error?: string } = JSON.parse(await this.line());
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer;
  }

  async end(): Promise<void> {
    await this.#input.close();
    await this.#child.status;
  }
}

async function compare(): Promise<void> {
  const values = benchOptions("bench:compare", {
    base: [undefined, "The other checkout"],
    count: ["100000", "Number of certificates"],
    requests: [
      "1000",
      "Details in a run; fewer of the requests that are more work",
    ],
    rounds: ["5", "Runs of each case, of which the median counts"],
    only: [undefined, "A regular expression for the names of the cases to run"],
  });
  if (values.base === undefined) {
    throw new Error("Missing --base. Give the folder of another checkout.");
  }
  const count = Number(values.count);
  const own = fileURLToPath(new URL("../..", import.meta.url)).replace(
    /\/$/,
    "",
  );
  const sides = [await Deno.realPath(values.base), own].map((checkout) => new Side(checkout, count));
  for (const side of sides) await side.line();
  console.log(
    "| request | base, CPU ms | this, CPU ms | base / this | statements | bytes |",
  );
  console.log("| --- | --- | --- | --- | --- | --- |");
  let n = 0;
  const compareCase = async (each: Case): Promise<Used[][]> => {
    const { clients = 1, weight = 1, setup = [] } = each;
    const length = Math.ceil(Number(values.requests) / weight);
    const used: Used[][] = [[], []];
    if (setup.length > 0) {
      for (const side of sides) {
        await side.run({ requests: setup, clients: 1 });
      }
    }
    for (let round = 0; round <= Number(values.rounds); round++) {
      const requests: Asked[] = [];
      for (let at = 0; at < length; at++) {
        requests.push(await each.request(++n));
      }
      for (const [place, side] of sides.entries()) {
        const one = await side.run({ requests, clients });
        // The first run only warms up.
        if (round > 0) used[place]!.push(one);
      }
    }
    return used;
  };
  for (const [name, each] of Object.entries(casesOf(count))) {
    if (values.only !== undefined && !new RegExp(values.only).test(name)) {
      continue;
    }
    let used: Used[][];
    try {
      used = await compareCase(each);
    } catch (error) {
      console.log(`| ${name} | ${error} |`);
      continue;
    }
    const middle = used.map((runs) => runs.toSorted((a, b) => a.cpu - b.cpu)[runs.length >> 1]!);
    const [base, now] = middle as [Used, Used];
    console.log(
      `| ${name} | ${base.cpu.toFixed(2)} | ${now.cpu.toFixed(2)} | ${(base.cpu / now.cpu).toFixed(2)} | ` +
        `${base.statements.toFixed(1)} → ${now.statements.toFixed(1)} | ${base.bytes.toFixed(0)} → ${
          now.bytes.toFixed(0)
        } |`,
    );
  }
  for (const side of sides) await side.end();
}

if (Deno.args[0] === "--serve") {
  await serve(Deno.args[1]!, Number(Deno.args[2]));
} else await compare();
