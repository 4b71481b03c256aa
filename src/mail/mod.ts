/**
 * Outgoing e-mail. The entry point chooses the implementation: `smtp.ts` uses sockets, `http_api.ts` is for platforms
 * without them.
 */

import { isThisMachine } from "../base/web_url.ts";

/** The mail server to which e-mail is sent. */
export type MailServer =
  | {
    readonly kind: "smtp";
    readonly host: string;
    readonly port: number;
    /**
     * `tls`: from the first byte. `starttls`: required before anything else is sent. `plain`: only for this
     * machine.
     */
    readonly security: "tls" | "starttls" | "plain";
    readonly user?: string;
    readonly password?: string;
  }
  | { readonly kind: "http"; readonly url: string; readonly token: string };

/** A message to one recipient. */
export interface Mail {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  /** Address for answers, if it is not the sender. */
  readonly replyTo?: string | undefined;
  /**
   * `Message-ID` without angle brackets. It is the same for each attempt, so that a repeated message can be
   * recognized.
   */
  readonly messageId: string;
}

/** Sends a message and returns the server's reply. Throws a {@link MailError}. */
export type SendMail = (mail: Mail) => Promise<string>;

/** Why a message was not accepted. */
export class MailError extends Error {
  override readonly name = "MailError";
  /** Whether another attempt would fail in the same way (RFC 5321 §4.2.1, codes of 500 and above). */
  readonly permanent: boolean;
  readonly status: number | null;

  constructor(
    message: string,
    { permanent, status, cause }: { permanent: boolean; status: number | null; cause?: unknown },
  ) {
    super(message, { cause });
    this.permanent = permanent;
    this.status = status;
  }
}

/** The expected form of {@link parseMailServer}, for messages. */
export const EXPECTED_MAIL_SERVER =
  "smtp://user:password@host:587, smtps://user:password@host:465 or https://:token@host/path";

/** Parses the URL of a mail server; undefined for anything else. */
export function parseMailServer(text: string): MailServer | undefined {
  const url = URL.parse(text);
  if (url === null || url.hostname === "" || url.hash !== "") return undefined;
  const { protocol, hostname, port, pathname, search } = url;
  const [user, password] = [url.username, url.password].map(decodeURIComponent);
  if (protocol === "https:") {
    if (!password) return undefined;
    return { kind: "http", url: `${url.origin}${pathname}${search}`, token: password };
  }
  if (protocol !== "smtp:" && protocol !== "smtps:" || !["", "/"].includes(pathname) || search !== "") {
    return undefined;
  }
  const isTls = protocol === "smtps:";
  return {
    kind: "smtp",
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: port === "" ? isTls ? 465 : 587 : Number(port),
    security: isTls ? "tls" : isThisMachine(url) ? "plain" : "starttls",
    ...(user ? { user, password: password ?? "" } : {}),
  };
}
