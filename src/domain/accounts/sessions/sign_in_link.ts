/** One-time links that sign a user in, for operators when no other sign-in works. */

import { z } from "zod";
import { actorOf, type Context, seal, unseal, useOnce } from "../../../auth/mod.ts";
import { randomText, sha256Hex } from "../../../base/bytes.ts";
import { notFound } from "../../../base/errors.ts";
import type { Millis } from "../../../base/clock.ts";
import { openSession, type StartedSession } from "./start_session.ts";

/** Path of the page that asks for confirmation. */
export const SIGN_IN_LINK_PATH = "/sign-in/link/";
const NAME = "sign_in_link";
/** Time for which a link is valid. */
const LINK_MS: Millis = 600_000;

const LinkValue = z.object({ userId: z.int(), id: z.string() });

/** Returns the path of a link that signs a user in once, within ten minutes. */
export async function signInLink({ database, clock }: Context, userId: number): Promise<string> {
  const expires = clock.now() + LINK_MS;
  const link = await seal(database, { name: NAME, value: { userId, id: randomText(22) }, expires });
  return `${SIGN_IN_LINK_PATH}?link=${link}`;
}

/** Signs in with a link. Errors: not_found (used, expired, or not issued by this service). */
export async function signInByLink(
  { deps, link, address, userAgent }: {
    deps: Omit<Context, "actor">;
    link: string;
    address: string | null;
    userAgent: string;
  },
): Promise<StartedSession> {
  const now = deps.clock.now();
  const value = LinkValue.safeParse(await unseal(deps.database, { name: NAME, sealed: link, now }));
  const actor = value.success ? await actorOf(deps, value.data.userId) : undefined;
  if (actor === undefined || actor.userId === null) throw notFound();
  const expires = now + LINK_MS;
  const isFirst = await deps.database.write((tx) => useOnce(tx, { hash: sha256Hex(link), expires, now }));
  if (!isFirst) throw notFound();
  const { userId, username } = actor;
  return await openSession(deps, {
    userId,
    username,
    address,
    userAgent,
    by: "one-time link",
    isLocal: false,
  });
}
