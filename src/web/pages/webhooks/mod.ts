/** The pages of webhooks and their messages. */

import { ID, type Route } from "../../call.ts";
import { viewRoutes } from "../../kit/mod.ts";
import { enableOne, redeliverOne, sendTest } from "./actions.ts";
import { deliveryView } from "./delivery_view.tsx";
import { webhookView } from "./webhook_view.tsx";

export const webhookRoutes: readonly Route[] = [
  ...viewRoutes(webhookView),
  { method: "POST", path: `/webhooks/${ID}/enable/`, handle: enableOne },
  { method: "POST", path: `/webhooks/${ID}/test/`, handle: sendTest },
  ...viewRoutes(deliveryView),
  { method: "POST", path: `/webhook-deliveries/${ID}/redeliver/`, handle: redeliverOne },
];
