/** A form that a script completes with the browser's passkey response. */

import type { PasskeyRequest } from "../../../domain/accounts/second_factors/mod.ts";
import { assetPath } from "../../assets/mod.ts";
import type { Content, Html } from "../../kit/components/mod.ts";

/** Renders the form, which is hidden without scripts. */
export function PasskeyForm(
  { action, kind, request, button, secondary, children }: {
    action: string;
    kind: "create" | "get";
    request: PasskeyRequest;
    button: string;
    secondary?: boolean;
    children?: Content;
  },
): Html {
  return (
    <form method="post" action={action} data-passkey={kind} data-options={request.options} hidden>
      {children}
      <input type="hidden" name="setup" value={request.setup} />
      <input type="hidden" name="response" value="" />
      <p class="flash error" role="alert" data-passkey-error hidden></p>
      <button type="submit" class={secondary ? "secondary" : undefined}>{button}</button>
      <script type="module" src={assetPath("passkeys.js")}></script>
    </form>
  );
}
