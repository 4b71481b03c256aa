/** The errors of a preview by kind, above its rows. */

import { counted, numberText } from "../../base/amounts.ts";
import { type ErrorKind, isTable, type PreviewPage } from "../../domain/certificates/import_preview/mod.ts";
import { REQUIRED } from "../../resource/mod.ts";
import type { Call } from "../call.ts";
import { Form, type Html, truncate } from "../components/mod.ts";
import { labelOf } from "../messages.ts";
import { suggestionsFor } from "./corrections.tsx";
import { previewPath } from "./paths.ts";
import { messageText } from "./preview_table.tsx";

/** Maximum characters of a value in a button. */
const MAX_VALUE = 40;

/**
 * Renders a line for each kind of error. With `accepting`, a suggestion for all rows with the same text is a button; it
 * must not be next to fields, whose texts it does not save.
 */
export function ErrorKinds(
  { call, preview, accepting }: { call: Call; preview: PreviewPage; accepting: boolean },
): Html | null {
  const { errorKinds: { kinds, total }, key } = preview;
  if (kinds.length === 0) return null;
  return (
    <ul class="error-kinds" aria-label="Errors by kind">
      {kinds.map((kind) => {
        const suggestions = accepting && isTable(preview) ? suggestionsOf(kind) : [];
        return (
          <li>
            <span>
              <a href={`${previewPath(key)}rows/${kind.first}/`} class="underlined">
                {counted(kind.rows, "row")}
              </a>: <bdi>{textOfKind(kind, suggestions)}</bdi>
              {kind.messages === 1 ? null : (
                <span class="faint">
                  {` and ${counted(kind.messages - 1, "similar error")}`}
                </span>
              )}
            </span>
            {suggestions.length === 0
              ? null
              : (
                <Form call={call} action={`${previewPath(key)}rows/`} class="inline">
                  <input type="hidden" name={`repeat.${kind.first}.${kind.column}`} value="true" />
                  {suggestions.map((text) => (
                    <button
                      type="submit"
                      class="secondary small"
                      name={`use.${kind.first}.${kind.column}`}
                      value={text}
                    >
                      Use {truncate(text, MAX_VALUE)}
                      {kind.rows === 1 ? "" : ` in ${counted(kind.rows, "row")}`}
                    </button>
                  ))}
                </Form>
              )}
          </li>
        );
      })}
      {total <= kinds.length ? null : <li class="faint">and {numberText(total - kinds.length)} more</li>}
    </ul>
  );
}

/** Returns the suggestions for a cell that all rows of this kind have. */
function suggestionsOf({ text, message, messages }: ErrorKind): string[] {
  return text === null || messages > 1 ? [] : suggestionsFor(text, [message]);
}

function textOfKind({ column, message, messages }: ErrorKind, suggestions: readonly string[]): string {
  if (column === "__all__") return messageText([message]);
  if (message === REQUIRED) return `${labelOf(column)} is missing.`;
  const text = suggestions.length === 0 && messages === 1
    ? message
    : message.replace(/ Did you mean .+\?$/, "");
  return `${labelOf(column)}: ${messageText([text])}`;
}
