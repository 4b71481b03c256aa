/** The summary of a form's errors, above its fields. */

import type { FieldErrors } from "../../../base/errors.ts";
import { labelOf } from "../../messages.ts";
import { controlId, messagesAt } from "./form.tsx";
import type { Content, Html } from "./html.ts";
import { truncate } from "./truncate.ts";

/** Maximum characters of a message in the summary; the complete one is at its field. */
const SUMMARY_CHARS = 160;

/** Renders errors of the whole form, of fields that it does not show, and links to the fields with errors. */
export function ErrorSummary(
  { errors, shown, labels = {}, children }: {
    errors: FieldErrors;
    /** Fields of the form, in their order. */
    shown: readonly string[];
    /** Labels of fields, if they differ from those of their names; or a function for other names. */
    labels?: Readonly<Record<string, string>> | ((name: string) => string);
    /** What to do next. */
    children?: Content;
  },
): Html | null {
  const names = Object.keys(errors);
  if (names.length === 0) return null;
  const label = (name: string): string =>
    typeof labels === "function" ? labels(name) : labels[name] ?? labelOf(name);
  const general = names.filter((name) => !shown.includes(name));
  const wrong = shown.filter((name, index) =>
    messagesAt(errors, name).length > 0 && shown.indexOf(name) === index
  );
  return (
    <div class="flash error" role="alert">
      <div>
        {general.flatMap((name) =>
          messagesAt(errors, name).map((text) => <p>{summaryLine(name, text, label)}</p>)
        )}
        {wrong.length === 0 ? null : (
          <>
            <p>
              <strong>
                {wrong.length === 1 ? "Correct this field:" : `Correct these ${wrong.length} fields:`}
              </strong>
            </p>
            <ul>
              {wrong.map((name) => (
                <li>
                  <a href={`#${controlId(name)}`}>{label(name)}</a>:{" "}
                  {shortened(messagesAt(errors, name).join(" "))}
                </li>
              ))}
            </ul>
          </>
        )}
        {children}
      </div>
    </div>
  );
}

/** Returns as many whole sentences as fit; a longer first sentence is truncated. */
function shortened(text: string): string {
  if (text.length <= SUMMARY_CHARS) return text;
  const sentences = text.split(/(?<=[.?!]) (?=\p{Lu})/u);
  let fitting = "";
  for (const sentence of sentences) {
    const longer = fitting === "" ? sentence : `${fitting} ${sentence}`;
    if (longer.length > SUMMARY_CHARS) break;
    fitting = longer;
  }
  return fitting === "" ? truncate(text, SUMMARY_CHARS) : fitting;
}

/** Returns a message with the field that it is about. */
function summaryLine(name: string, text: string, label: (name: string) => string): string {
  if (name === "__all__" || name === "detail") return text;
  // Unknown names have no label.
  const unknown = /^Unknown filter\.(.*)$/s.exec(text);
  return unknown === null
    ? `${label(name)}: ${text}`
    : `There is no filter “${truncate(name)}”.${unknown[1]}`;
}
