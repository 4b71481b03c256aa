/** Why a webhook sends no messages, or late ones, with the button that enables it. */

import { type Webhook, webhooks } from "../../../domain/webhooks/mod.ts";
import type { Call } from "../../call.ts";
import { Form, type Html, Icon, Time } from "../../kit/components/mod.ts";
import type { PermittedActions } from "../../kit/mod.ts";
import { objectPath } from "../../paths.ts";

/** Renders nothing for an enabled webhook whose messages are delivered. */
export function webhookState(call: Call, webhook: Webhook, { change }: PermittedActions): Html | null {
  if (webhook.enabled !== true) return <Disabled call={call} webhook={webhook} mayEnable={change} />;
  if (webhook.breaker !== "open") return null;
  return (
    <p class="flash warn">
      <Icon name="warning" />
      <span>
        Many messages in a row have failed ({String(webhook.failure_count)}). One at a time is tried; the next
        {" "}
        <Time at={webhook.probe_at as string} />.
      </span>
    </p>
  );
}

function Disabled({ call, webhook, mayEnable }: { call: Call; webhook: Webhook; mayEnable: boolean }): Html {
  const { id, disabled_reason: reason } = webhook;
  return (
    <div class={reason === "" ? "summary warn" : "summary bad"}>
      <p class="next">
        {reason === ""
          ? (
            <>
              <strong>Disabled:</strong>{" "}
              no messages are sent, not even later, about changes until it is enabled.
            </>
          )
          : (
            <>
              <strong>Disabled automatically:</strong> {reason} Fix the receiver, then enable the webhook.
            </>
          )}
      </p>
      {mayEnable
        ? (
          <div class="buttons">
            <Form call={call} action={`${objectPath(webhooks, id)}enable/`} class="inline">
              <button type="submit">Enable</button>
            </Form>
          </div>
        )
        : null}
    </div>
  );
}
