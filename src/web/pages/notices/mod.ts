/** The pages of notifications. */

import { channels, RESPOND_PATH, testChannel } from "../../../domain/notices/mod.ts";
import { type Call, ID, idOf, type PublicRoute, type Route } from "../../call.ts";
import { viewRoutes } from "../../kit/mod.ts";
import { objectPath } from "../../paths.ts";
import { attempt, done } from "../../responses.ts";
import { respondOnPage } from "./certificate_section.tsx";
import { respondForm, respondPage } from "./respond.tsx";
import { channelView, noticeDeliveryView, subscriptionView } from "./views.tsx";

export { noticeSection } from "./certificate_section.tsx";

/** Pages for anyone with a link. */
export const noticePublicRoutes: readonly PublicRoute[] = [
  { method: "GET", path: RESPOND_PATH, handle: respondPage },
  { method: "POST", path: RESPOND_PATH, handle: respondForm },
];

/** Pages of signed-in users. */
export const noticeRoutes: readonly Route[] = [
  ...viewRoutes(channelView),
  { method: "POST", path: `/notification-channels/${ID}/test/`, handle: sendTest },
  ...viewRoutes(subscriptionView),
  ...viewRoutes(noticeDeliveryView),
  { method: "POST", path: `/certificates/${ID}/notices/`, handle: respondOnPage },
];

async function sendTest(call: Call): Promise<Response> {
  const channel = objectPath(channels, idOf(call));
  return await attempt({ call, back: channel, codes: ["conflict", "invalid"] }, async () => {
    await testChannel({ ctx: call.ctx, id: idOf(call), input: undefined });
    return done(call, channel, "Test message queued.");
  });
}
