/** A form whose text and file a script looks through before anything is sent. It works without the script, too. */

import { assetPath } from "../assets/mod.ts";
import type { Call } from "../call.ts";
import { type Content, Form, type Html } from "../components/mod.ts";

/** The form; more than `maxBytes` of a file are not sent. */
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
