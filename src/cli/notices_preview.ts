/** `certmgr notices preview`: shows which notices would be sent. */

import { Command, InvalidArgumentError } from "commander";
import { formatDate, formatDatetime, type Millis, parseDatetime, startOfDay } from "../base/clock.ts";
import { type PreviewedMessage, previewNotices } from "../domain/notices/mod.ts";
import { withDatabase } from "./database.ts";
import { printJson, printLines } from "./output.ts";

const HELP = `
Shows which messages would be sent on a day, to whom, and sends nothing. Expiries are those of that
day; other events are those that have happened until now.

Examples:
  certmgr notices preview --at 2026-12-01
  certmgr notices preview --json`;

export function noticesPreviewCommand(): Command {
  return new Command("preview").description("show what would be sent to whom")
    .option("--at <date>", "day, YYYY-MM-DD (default: today)", dayOf)
    .option("--json", "print JSON", false)
    .addHelpText("after", HELP)
    .action(run);
}

function dayOf(text: string): Millis {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? parseDatetime(text) : undefined;
  if (at === undefined) throw new InvalidArgumentError("Expected a date such as 2026-12-01.");
  return at;
}

async function run({ at, json }: { at?: Millis; json: boolean }): Promise<void> {
  const messages: PreviewedMessage[] = [];
  const day = await withDatabase(async (ctx) => {
    const day = at ?? startOfDay(ctx.clock.now());
    for await (const message of previewNotices({ ctx, day })) messages.push(message);
    return day;
  });
  if (json) return printJson(messages.map((one) => ({ ...one, at: formatDatetime(one.at) })));
  if (messages.length === 0) return printLines(`Nothing would be sent on ${formatDate(day)}.`);
  for (const { at, recipient, subscription, notices, more } of messages) {
    printLines(`${formatDatetime(at)}  ${recipient}  (${subscription})`);
    printLines(...notices.map((title) => `  ${title}`), ...(more === 0 ? [] : [`  … and ${more} more`]));
  }
}
