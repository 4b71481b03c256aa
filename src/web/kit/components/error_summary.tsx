/** The summary of a form's errors, above its fields. */

import type { FieldErrors } from "../../../base/errors.ts";
import { labelOf } from "../../messages.ts";
import { controlId, messagesAt } from "./form.tsx";
import type { Content, Html } from "./html.ts";
import { truncate } from "./texts.ts";

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
                  {truncate(messagesAt(errors, name).join(" "), SUMMARY_CHARS)}
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

/** Returns a message with the field that it is about. */
function summaryLine(name: string, text: string, label: (name: string) => string): string {
  if (name === "__all__" || name === "detail") return text;
  // Unknown names have no label.
  const unknown = /^Unknown filter\.(.*)$/s.exec(text);
  return unknown === null
    ? `${label(name)}: ${text}`
    : `There is no filter “${truncate(name)}”.${unknown[1]}`;
}
