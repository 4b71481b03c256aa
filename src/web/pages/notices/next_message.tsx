/** A preview of the next message of a subscription, in its form. */

import { numberText } from "../../../base/amounts.ts";
import { formatDatetime } from "../../../base/clock.ts";
import { previewSubscription } from "../../../domain/notices/mod.ts";
import type { Call } from "../../call.ts";
import { type Html, Time } from "../../kit/components/mod.ts";
import { textOf } from "../../forms.ts";
import { type FormState, PICK } from "../../kit/mod.ts";

/** Value of the button that shows the preview. */
const PREVIEW = "preview";

/** Renders a button, and after it was used the message. A few statements for the message, else none. */
export async function NextMessage({ call, state }: { call: Call; state: FormState }): Promise<Html> {
  const shown = textOf(call.form, PICK) === PREVIEW;
  return (
    <div class="field preview" id="next-message" data-in-place="">
      <button type="submit" name={PICK} value={PREVIEW} formnovalidate class="secondary small">
        Preview the next message
      </button>
      {shown ? await message(call, state) : null}
    </div>
  );
}

async function message({ ctx }: Call, state: FormState): Promise<Html> {
  const preview = await previewSubscription(ctx, {
    events: [state.events ?? []].flat(),
    thresholds: [state.thresholds ?? []].flat(),
    filter: String(state.filter ?? ""),
    mode: state.mode,
    at: state.at,
    time_zone: state.time_zone,
  });
  if (preview === undefined) {
    return <p role="status">Choose events, and correct the values above, to see a message.</p>;
  }
  const at = <Time at={formatDatetime(preview.at)} />;
  if (preview.subject === "") {
    return <p role="status">Nothing to report at {at} yet: no message would be sent.</p>;
  }
  return (
    <div class="box" role="status">
      <p class="faint">At {at}, with your permissions:</p>
      <p>
        <strong>
          <bdi>{preview.subject}</bdi>
        </strong>
      </p>
      <ul>
        {preview.notices.map((title) => (
          <li>
            <bdi>{title}</bdi>
          </li>
        ))}
        {preview.more > 0 ? <li>and {numberText(preview.more)} more</li> : null}
      </ul>
    </div>
  );
}
