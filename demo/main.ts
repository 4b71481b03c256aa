/**
 * `deno task demo`: fills the configured database, which must be empty, with a realistic inventory; then `deno task
 * start` shows it. `--date 2026-11-20` ends the inventory on another day, `--seed` changes names, dates and events,
 * `--password` sets the password of all users.
 */

import { parseArgs } from "node:util";
import { randomText } from "../src/base/bytes.ts";
import { DAY_MS, parseDatetime, systemClock } from "../src/base/clock.ts";
import { passwordFault } from "../src/auth/mod.ts";
import { withDatabase } from "../src/cli/database.ts";
import { readConfig, readEnvironment } from "../src/config/mod.ts";
import { CommandError, describeFailure, EXIT, UsageError } from "../src/cli/failure.ts";
import { printLines, printNote, withFrame } from "../src/cli/output.ts";
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
    throw new UsageError(`Invalid date ${JSON.stringify(date)}. Use YYYY-MM-DD, such as 2026-11-20.`);
  }
  const fault = passwordFault(password);
  if (fault !== undefined) throw new UsageError(`Invalid password: ${fault}`);
  return { now: day === undefined ? systemClock.now() : day + HALF_A_DAY_MS, seed, password };
}

/** Shows progress: one updated line on a terminal, otherwise a line for each tenth. */
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

/** Writes the trust data to the data folder, which a database elsewhere has not made; an own file stays. */
async function writeTrust(dataDir: string, trust: string): Promise<void> {
  const path = `${dataDir}/trust.json`;
  await Deno.mkdir(dataDir, { recursive: true });
  await Deno.writeTextFile(path, trust, { createNew: true }).catch((error) => {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    printNote(`${path} exists and stays as it is: no certificate of the demo is publicly trusted.`);
  });
}

async function main(): Promise<void> {
  const options = readOptions(Deno.args);
  await withDatabase(async (ctx) => {
    if (!await isFresh(ctx)) {
      throw new CommandError(
        "The database is not empty. Set CERTMGR_DATA_DIR to a new folder.",
      );
    }
    const { certificates, changes, token, trust } = await fillDemo(ctx, {
      ...options,
      progress: showProgress,
    });
    await writeTrust(readConfig(readEnvironment()).dataDir, trust);
    printLines(`Created ${certificates} certificates and ${changes} change log entries`);
    printLines(...withFrame([
      "All users have the same password. Copy it now: it is not shown again.",
      "",
      `  Password   ${options.password}`,
      `  API token  ${token === undefined ? "as printed at the first start" : `${token} (admin)`}`,
      "",
      "  admin      superuser",
      "  ines       manages certificates",
      "  marek      manages certificates",
      "  auditor    views everything, changes nothing",
      "  harbor     manages the objects of Harbor Bank",
    ]));
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
