/** The delivery log: the lists of notices and of messages to webhooks, with a switch between them. */

import { isGranted } from "../../../auth/mod.ts";
import { notificationDeliveries } from "../../../domain/notices/mod.ts";
import { webhookDeliveries } from "../../../domain/webhooks/deliveries/resource.ts";
import type { Call } from "../../call.ts";
import { Choice } from "../../kit/components/mod.ts";
import { listPage, type View } from "../../kit/mod.ts";
import { listPath } from "../../paths.ts";

const LISTS = [["Notices", notificationDeliveries], ["Messages to webhooks", webhookDeliveries]] as const;

/** Renders one of the lists. */
export async function deliveryList(call: Call, view: View): Promise<Response> {
  const choices = LISTS.filter(([, { objectType }]) => isGranted(call.ctx, "view", objectType))
    .map(([label, { objectType }]) => ({ name: objectType, label, path: listPath({ objectType }) }));
  return await listPage(call, view, () =>
    choices.length < 2 ? {} : {
      tabs: <Choice label="Delivery log" choices={choices} chosen={view.resource.objectType} />,
    });
}
