/** A form whose text and file a script checks for private keys before sending. It also works without the script. */

import { assetPath } from "../../assets/mod.ts";
import type { Call } from "../../call.ts";
import { type Content, Form, type Html } from "../../kit/components/mod.ts";

/** Renders the form; the script refuses files of more than `maxBytes`. */
export function GuardedForm(
  { call, action, maxBytes, children }: {
    call: Call;
    action: string;
    maxBytes: number;
    children: Content;
  },
): Html {
  return (
    <>
      <link rel="stylesheet" href={assetPath("imports.css")} />
      <script type="module" src={assetPath("imports.js")}></script>
      <div class="box" data-guard data-max-bytes={String(maxBytes)}>
        <p class="flash error" role="alert" data-guard-message hidden></p>
        <Form call={call} action={action} files>{children}</Form>
      </div>
    </>
  );
}
