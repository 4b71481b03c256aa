/** A short summary of the errors of a preview by kind, above its rows, which have the messages. */

import { counted, numberText } from "../../../base/amounts.ts";
import {
  type ErrorKind,
  isTable,
  type PreviewPage,
} from "../../../domain/certificates/import_preview/mod.ts";
import { REQUIRED } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { Form, type Html, isolate, truncate } from "../../kit/components/mod.ts";
import { labelOf } from "../../messages.ts";
import { suggestionsFor } from "./corrections.tsx";
import { previewPath } from "./paths.tsx";
import { messageText } from "./preview_parts.tsx";

/** Maximum characters of a value, also in a button. */
const MAX_VALUE = 40;

/** Kinds of errors that are shown together. */
interface Summary {
  readonly label: string;
  readonly kinds: readonly [ErrorKind, ...ErrorKind[]];
  /** Corrections for all rows with the same text. */
  readonly suggestions: readonly string[];
}

/**
 * Renders for each column how many errors it has. With `accepting`, a suggestion for all rows with the same text is a
 * button; it must not be next to fields, whose texts it does not save.
 */
export function ErrorKinds(
  { call, preview, accepting }: { call: Call; preview: PreviewPage; accepting: boolean },
): Html | null {
  const { errorKinds: { kinds, total }, key } = preview;
  if (kinds.length === 0) return null;
  const left = total - kinds.length;
  return (
    <ul class="error-kinds" aria-label="Errors by kind">
      {summariesOf(kinds, accepting && isTable(preview)).map((
        { label, kinds: [kind, ...more], suggestions },
      ) => (
        <li>
          <span>
            {label}:{" "}
            <a href={`${previewPath(key)}rows/${kind.first}/`} class="underlined">
              {more.length === 0
                ? counted(kind.rows, "row")
                : counted([kind, ...more].reduce((sum, { rows }) => sum + rows, 0), "error")}
            </a>
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
      ))}
      {left <= 0 ? null : <li class="faint">and {numberText(left)} more</li>}
    </ul>
  );
}

/** Groups the kinds by column; those with a suggestion are separate, with the text that it replaces. */
function summariesOf(kinds: readonly ErrorKind[], accepting: boolean): Summary[] {
  const groups = Map.groupBy(kinds, (kind) => {
    const hasSuggestions = accepting && suggestionsOf(kind).length > 0;
    return hasSuggestions
      ? `${labelOf(kind.column)} "${isolate(truncate(kind.text ?? "", MAX_VALUE))}"`
      : labelOfKind(kind);
  });
  return [...groups].map(([label, own]) => ({
    label,
    kinds: own as [ErrorKind, ...ErrorKind[]],
    suggestions: accepting && own.length === 1 ? suggestionsOf(own[0] as ErrorKind) : [],
  }));
}

/** Returns the suggestions for a cell that all rows of this kind have. */
function suggestionsOf({ text, message, messages }: ErrorKind): string[] {
  return text === null || messages > 1 ? [] : suggestionsFor(text, [message]);
}

/** Returns the column, or for errors of whole rows the beginning of the message, without what differs in each row. */
function labelOfKind({ column, message }: ErrorKind): string {
  if (column !== "__all__") return message === REQUIRED ? `${labelOf(column)} is missing` : labelOf(column);
  const [beginning = ""] = messageText([message]).split(/[:"]|(?<=^Duplicate) of |\.(?:\s|$)/);
  return beginning.trim();
}
