/** Test messages of notification channels, and responses to notices. */

import { certificates } from "../domain/certificates/mod.ts";
import { acknowledgeCertificate, channels, snoozeCertificate, testChannel } from "../domain/notices/mod.ts";
import { type Operation, post } from "./operation.ts";

const CERTIFICATE = `/api/${certificates.path}/{id}/`;

export function noticeOperations(): Operation[] {
  return [
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
  ];
}
