/** Signed links in messages, with which a reader can respond without signing in. */

import { eq } from "drizzle-orm";
import { isSigned, serviceKey, signText } from "../../auth/mod.ts";
import { sha256Hex } from "../../base/bytes.ts";
import { DAY_MS, type Millis } from "../../base/clock.ts";
import { type Database, select } from "../../db/mod.ts";
import { used_links } from "../../db/schema/mod.ts";

/** Days for which a link in a message is valid. */
const LINK_DAYS = 30;

/**
 * Path of the page that asks for confirmation, so that a mail scanner that follows the link acknowledges
 * nothing.
 */
export const RESPOND_PATH = "/notices/respond/";
const KEY_NAME = "notice_links";

/** What a link allows: a response to one expiry of one certificate as one user. */
export interface LinkSubject {
  readonly certificateId: number;
  readonly validTo: Millis;
  readonly userId: number;
}

/** A valid link that was opened. */
export interface OpenedLink extends LinkSubject {
  readonly expires: Millis;
  /** SHA-256, under which its use is recorded. */
  readonly hash: string;
}

/** Returns the key that signs the service's links. It is created at its first use. */
export function linkKey(database: Database): Promise<string> {
  return serviceKey(database, KEY_NAME);
}

/** Returns the path and query of a link. */
export function noticeLink(
  { certificateId, validTo, userId, now }: LinkSubject & { readonly now: Millis },
  key: string,
): string {
  const text = [certificateId, validTo, userId, now + LINK_DAYS * DAY_MS].join(".");
  return `${RESPOND_PATH}?link=${text}.${signText(text, key)}`;
}

/** Reads a link; undefined if its signature is invalid, it has expired, or it was used. One statement. */
export async function openLink(
  database: Database,
  { link, now }: { link: string; now: Millis },
): Promise<OpenedLink | undefined> {
  const match = /^((\d{1,15})\.(\d{1,16})\.(\d{1,15})\.(\d{1,16}))\.([A-Za-z0-9_-]{43})$/.exec(link);
  if (match === null) return undefined;
  const [, text = "", certificateId, validTo, userId, expires, given = ""] = match;
  if (!isSigned(text, { signature: given, key: await linkKey(database) })) return undefined;
  if (Number(expires) <= now) return undefined;
  const hash = sha256Hex(link);
  const used = await database.all(
    select({ hash: used_links.hash }).from(used_links).where(eq(used_links.hash, hash)),
  );
  if (used.length > 0) return undefined;
  return {
    certificateId: Number(certificateId),
    validTo: Number(validTo),
    userId: Number(userId),
    expires: Number(expires),
    hash,
  };
}
