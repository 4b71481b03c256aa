/** An example of a message, for people who write its receiver. */

import { parseDatetime } from "../../base/clock.ts";
import { messageBody } from "../../domain/webhooks/deliveries/mod.ts";
import { Copyable, type Html } from "../components/mod.ts";
import type { FormState } from "../objects/mod.ts";

/** Time of the example. */
const TIME = "2026-11-20T09:30:00Z";
/** A certificate in the example; messages have all its fields. */
const CERTIFICATE = {
  id: 17,
  common_name: "www.example.com",
  status: "active",
  valid_to: "2027-02-18T23:59:59Z",
  tenant: "acme",
};

/** Renders the message about the first event of the form, in a collapsed box. */
export function ExampleMessage({ state }: { state: FormState }): Html {
  const event = [state.events ?? []].flat()[0] ?? "created";
  const body = messageBody({
    objectType: "certmgr.certificate",
    event,
    time: parseDatetime(TIME) ?? 0,
    username: "admin",
    requestId: "1f0b6c1e-5b0e-4a58-9d0a-2f6f1f4b7c11",
    prechange: event === "created" || event === "certificate_expiring" ? null : CERTIFICATE,
    postchange: event === "deleted" ? null : CERTIFICATE,
    details: event === "certificate_expiring" ? { threshold: 30 } : null,
  }, "msg_2y6zbq0c5n8v1k4f7h3j9w");
  return (
    <details class="box field">
      <summary>Example of a message</summary>
      <p class="faint">
        Sent by POST with the headers webhook-id, webhook-timestamp and webhook-signature. Snapshots have all
        fields of the object.
      </p>
      <Copyable text={JSON.stringify(JSON.parse(body), null, 2)} label="Example of a message" />
    </details>
  );
}
