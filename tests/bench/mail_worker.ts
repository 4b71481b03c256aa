/** A mail server on a separate thread, so that receiving mail does not delay the clients of a benchmark. */

import { mailServer } from "../domain/notices/mail_server.ts";

/** Messages of this thread: the port at the start, and the number of received messages on request. */
const thread = self as unknown as {
  postMessage(message: number): void;
  onmessage: () => void;
};

const mail = await mailServer({ unread: true });
thread.onmessage = () => thread.postMessage(mail.counted);
thread.postMessage(mail.settings.port);
