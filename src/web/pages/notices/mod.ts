/** The pages of notifications. */

import { channels, RESPOND_PATH, testChannel } from "../../../domain/notices/mod.ts";
import { ID, type PublicRoute, type Route } from "../../call.ts";
import { textOf } from "../../forms.ts";
import { viewRoutes } from "../../kit/mod.ts";
import { objectAction } from "../../responses.ts";
import { respondForm, respondOnPage, respondPage } from "./respond.tsx";
import { channelView, noticeDeliveryView } from "./channels.tsx";
import { deliveryList } from "./delivery_log.tsx";
import { subscriptionView } from "./subscriptions.tsx";

export { mailServerNote } from "./channels.tsx";
export { deliveryList } from "./delivery_log.tsx";
export { noticeSection } from "./respond.tsx";

/** Pages for anyone with a link. */
export const noticePublicRoutes: readonly PublicRoute[] = [
  { method: "GET", path: RESPOND_PATH, handle: respondPage },
  { method: "POST", path: RESPOND_PATH, handle: respondForm },
];

/** Pages of signed-in users. */
export const noticeRoutes: readonly Route[] = [
  ...viewRoutes(channelView),
  objectAction(channels, "test/", {
    run: ({ ctx, form }, id) => {
      const recipient = textOf(form, "recipient");
      return testChannel({ ctx, id, input: recipient === "" ? undefined : { recipient } });
    },
    codes: ["conflict", "invalid"],
    report: "Test message queued.",
  }),
  ...viewRoutes(subscriptionView),
  ...viewRoutes(noticeDeliveryView, { list: deliveryList }),
  { method: "POST", path: `/certificates/${ID}/notices/`, handle: respondOnPage },
];
