/** Test messages of webhooks and notification channels, messages that are sent again, and responses to notices. */

import { certificates } from "../domain/certificates/mod.ts";
import {
  acknowledgeCertificate,
  channels,
  remindCertificate,
  snoozeCertificate,
  tellOwners,
  testChannel,
} from "../domain/notices/mod.ts";
import { redeliver, testWebhook } from "../domain/webhooks/deliveries/redeliver.ts";
import { webhookDeliveries } from "../domain/webhooks/deliveries/resource.ts";
import { webhooks } from "../domain/webhooks/mod.ts";
import { type Operation, post } from "./operation.ts";

const CONFLICT: Operation["responses"] = {
  409: {
    description:
      "The webhook is disabled, or the message is being sent or waits for an earlier one about its object.",
    schema: { $ref: "#/components/schemas/Detail" },
  },
};

const CERTIFICATE = `/api/${certificates.path}/{id}/`;

export function noticeOperations(): Operation[] {
  return [
    post(`/api/${webhooks.path}/{id}/test/`, testWebhook, {
      operationId: "testWebhook",
      summary: "Send a test message to a webhook",
      description:
        "Needs `change` on the webhook, which must be enabled. The message has the event `test` and is about the " +
        "webhook itself; it is signed, sent and retried like all others. The response is its delivery, which waits " +
        "to be sent. Read it again for the result.",
      tag: "extras",
      status: 202,
      response: "The message, waiting to be sent.",
      responses: CONFLICT,
    }),
    post(`/api/${webhookDeliveries.path}/{id}/redeliver/`, redeliver, {
      operationId: "redeliverWebhookDelivery",
      summary: "Send a message again, or before its next attempt is due",
      description:
        "Needs `change` on the webhook. A message that was delivered or given up starts again; one that waits for " +
        "its next attempt keeps its count. Both keep their `webhook-id`, by which the receiver knows them. Refused " +
        "while the message is being sent, while an earlier message about the same object is still to be sent, and " +
        "while the webhook is disabled.",
      tag: "extras",
      status: 202,
      response: "The message, waiting to be sent.",
      responses: CONFLICT,
    }),
    post(`/api/${channels.path}/{id}/test/`, testChannel, {
      operationId: "testNotificationChannel",
      summary: "Send a test message to a notification channel",
      description:
        "Needs `change` on the channel, which must be enabled. E-mail goes to `recipient`, or to the caller's own " +
        "address. A test message is tried once. The response is its delivery, which waits to be sent: read it again " +
        "for the result.",
      status: 202,
      response: "The message, waiting to be sent.",
      responses: {
        409: { description: "The channel is disabled.", schema: { $ref: "#/components/schemas/Detail" } },
      },
    }),
    post(`/api/${certificates.path}/tell-owners/`, tellOwners, {
      operationId: "tellOwners",
      summary: "Send the owners of certificates an e-mail about them",
      description:
        "Needs `change` and `view` on the certificates, and `view` on contacts. Other certificates are left out. " +
        "Each owner gets one message about their certificates; `dry_run` returns the messages and sends nothing. " +
        "At most 100 owners are notified at once, and 200 in an hour by the same user. Certificates without an owner " +
        "whom the caller may view, or whose owner has no e-mail address, are in `not_told`.",
      response: "The messages, waiting to be sent.",
      responses: {
        409: { description: "E-mail is not configured.", schema: { $ref: "#/components/schemas/Detail" } },
      },
    }),
    post(`${CERTIFICATE}acknowledge/`, acknowledgeCertificate, {
      operationId: "acknowledgeCertificate",
      summary: "Acknowledge that a certificate expires",
      description:
        "Needs `acknowledge` on the certificate. Stops reminders and escalation of this expiry until " +
        "`valid_to` changes. If the certificate expires without a successor, this is still reported.",
      response: "The response that is stored.",
    }),
    post(`${CERTIFICATE}snooze/`, snoozeCertificate, {
      operationId: "snoozeCertificate",
      summary: "Postpone reminders of a certificate's expiry",
      description:
        "Needs `acknowledge` on the certificate. Reminders start again at `until`. It replaces an earlier response.",
      response: "The response that is stored.",
    }),
    post(`${CERTIFICATE}remind/`, remindCertificate, {
      operationId: "remindCertificate",
      summary: "End the acknowledgement or snooze of a certificate's expiry",
      description: "Needs `acknowledge` on the certificate. Reminders and escalation go on.",
      response: "Without acknowledgement and `snoozed_until`.",
    }),
  ];
}
