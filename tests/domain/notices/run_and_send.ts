/** Sends the notices that are due in a test. */

import { noticeSender } from "../../../src/domain/notices/notice_messages.ts";
import { runNotices } from "../../../src/domain/notices/run_notices.ts";
import { drainOnce } from "../../../src/domain/webhooks/sending/deliver.ts";
import { parseAllowedHosts } from "../../../src/http/mod.ts";
import { sendGuarded } from "../../../src/http/send_guarded.ts";
import type { TestApp } from "../../support/app.ts";

/** Evaluates all subscriptions and sends their messages. */
export async function runAndSend(
  app: TestApp,
  { mail, allowed = [] }: {
    mail: Parameters<typeof noticeSender>[0]["mail"];
    allowed?: readonly string[];
  },
): Promise<void> {
  const ctx = {
    ...app.ctx,
    baseUrl: "https://certs.acme.example",
    settings: {
      ...app.ctx.settings,
      allowedTargets: parseAllowedHosts(allowed),
    },
  };
  await runNotices({ ctx });
  await drainOnce(ctx, 1_000, {
    send: sendGuarded,
    more: [
      noticeSender({
        send: sendGuarded,
        mail,
        mailFrom: "certmgr@acme.example",
      }),
    ],
    random: () => 0,
  });
}
