/**
 * `deno task demo`: fills a fresh database, the one that the settings name, with a realistic inventory; then
 * `deno task start` shows it. `--date 2026-11-20` takes another day for the present, `--seed` other names, dates and
 * events, `--password` a password of one's own for everybody.
 */

import { parseArgs } from "node:util";
import { randomText } from "../src/base/bytes.ts";
import { DAY_MS, parseDatetime, systemClock } from "../src/base/clock.ts";
import { passwordFault } from "../src/auth/mod.ts";
import { withDatabase } from "../src/cli/database.ts";
import { CommandError, describeFailure, EXIT, UsageError } from "../src/cli/failure.ts";
import { printBox, printLines, printNote } from "../src/cli/output.ts";
import { type DemoOptions, fillDemo, isFresh } from "./fill.ts";

const MADE_UP_CHARS = 16;
const HALF_A_DAY_MS = DAY_MS / 2;

function readOptions(args: readonly string[]): Omit<DemoOptions, "progress"> {
  const { values } = parseArgs({
    args: args.filter((arg) => arg !== "--"),
    options: {
      date: { type: "string" },
      seed: { type: "string", default: "certmgr" },
      password: { type: "string" },
    },
  });
  const { date, seed, password = randomText(MADE_UP_CHARS) } = values;
  const day = date === undefined ? undefined : parseDatetime(date);
  if (date !== undefined && (day === undefined || !/^\d{4}-\d\d-\d\d$/.test(date))) {
    throw new UsageError(`Date ${JSON.stringify(date)} is none, want one like 2026-11-20`);
  }
  const fault = passwordFault(password);
  if (fault !== undefined) throw new UsageError(`Password cannot be taken: ${fault}`);
  return { now: day === undefined ? systemClock.now() : day + HALF_A_DAY_MS, seed, password };
}

/** One line that fills up on a terminal; elsewhere a line for each tenth. */
function showProgress(done: number, of: number): void {
  const text = `Day ${done} of ${of}`;
  if (Deno.stderr.isTerminal()) {
    Deno.stderr.writeSync(
      new TextEncoder().encode(done < of ? `\r${text} …` : `\r${" ".repeat(text.length + 2)}\r`),
    );
  } else if (done % Math.ceil(of / 10) === 0) {
    printNote(text);
  }
}

async function main(): Promise<void> {
  const options = readOptions(Deno.args);
  await withDatabase(async (ctx) => {
    if (!await isFresh(ctx)) {
      throw new CommandError(
        "Database holds an inventory already, want a fresh one (CERTMGR_DATA_DIR names its folder)",
      );
    }
    const { certificates, changes, token } = await fillDemo(ctx, { ...options, progress: showProgress });
    printLines(`Made ${certificates} certificates and a log of ${changes} changes`);
    printBox([
      "Everybody has the same password. It is shown once:",
      "",
      `  Password   ${options.password}`,
      ...(token === undefined ? [] : [`  API token  ${token} (admin)`]),
      "",
      "  admin      may do everything",
      "  ines       looks after certificates; so does marek",
      "  auditor    sees everything, changes nothing",
      "  harbor     sees what belongs to Harbor Bank",
    ]);
  }, { make: true });
}

try {
  await main();
} catch (error) {
  const { text, code } = error instanceof TypeError && "code" in error
    ? { text: error.message, code: EXIT.usage }
    : describeFailure(error);
  for (const line of text.split("\n")) printNote(`demo: ${line}`);
  Deno.exitCode = code;
}
