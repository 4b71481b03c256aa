/** The background work of a process: deliveries, notices, jobs, probes and scans. */

import type { Context } from "../auth/mod.ts";
import type { Peers } from "../base/peers.ts";
import type { Config } from "../config/mod.ts";
import { startProbing } from "../domain/endpoints/probing/service.ts";
import { startScanning } from "../domain/endpoints/scanning/run_scan_jobs.ts";
import { loadSender } from "../domain/notices/mod.ts";
import { startJobs } from "../domain/system/jobs/jobs.ts";
import { openKvQueue } from "../domain/webhooks/sending/kv_queue.ts";
import { startDelivery } from "../domain/webhooks/sending/deliver.ts";
import { sendGuarded } from "../http/send_guarded.ts";
import { httpMailSender } from "../mail/http_api.ts";
import type { SendMail } from "../mail/mod.ts";
import { probeBySockets } from "../probe/probe_by_sockets.ts";

/** Running background work. */
export interface Background {
  /** Stops sending, and waits for messages that are being sent. */
  stopDelivery(): Promise<void>;
  /** Stops everything else. */
  stop(): Promise<void>;
}

/**
 * Starts the background work.
 * @param context Returns a context of the service itself.
 * @param peers The other workers, whose commits also send hints.
 */
export async function startBackground(
  config: Config,
  { context, peers }: { context: () => Context; peers: Peers | undefined },
): Promise<Background> {
  const { noticeSender } = await loadSender();
  const queue = await openKvQueue();
  peers?.on("events", (id) => queue.send(Number(id)));
  const delivery = startDelivery({
    context,
    queue,
    send: sendGuarded,
    more: [noticeSender({ send: sendGuarded, mail: await mailOf(config), mailFrom: config.mailFrom })],
  });
  const jobs = startJobs(context);
  const probing = startProbing({ context, probe: probeBySockets });
  const scanning = startScanning({ context, probe: probeBySockets });
  return {
    stopDelivery: () => delivery.stop(),
    async stop(): Promise<void> {
      await Promise.all([jobs.stop(), probing.stop(), scanning.stop()]);
    },
  };
}

/** Returns the sender of e-mail. The SMTP client is loaded only if it is configured. */
async function mailOf({ smtp }: Config): Promise<SendMail | undefined> {
  if (smtp === undefined) return undefined;
  if (smtp.kind === "http") return httpMailSender(smtp, sendGuarded);
  const { smtpSender } = await import("../mail/smtp.ts");
  return smtpSender(smtp);
}
