/** The page that asks for the kind of a new object before its form, because the kind decides the fields. */

import type { Field } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import type { Html } from "../components/mod.ts";
import { labelOf } from "../../messages.ts";
import { listPath } from "../../paths.ts";
import { page } from "../../shell/mod.ts";
import { chosenIn } from "./form_state.ts";
import { choiceName, isChosen, type Parts } from "./parts.ts";
import { type FormState, titleOf, type View } from "../view.ts";
import { nounOf } from "../../type_label.ts";

/** Renders the fixed value that decides the members of an object. */
export function ChosenKind({ parts, field, value }: { parts: Parts; field: Field; value: string }): Html {
  return (
    <div class="field">
      <span class="label">{field.label ?? labelOf(field.name)}</span>
      <p>{choiceName(parts, value)}</p>
      <input type="hidden" name={field.name} value={value} />
    </div>
  );
}

/** Asks for the kind of a new object before its form; other parameters of the URL are kept. */
export function choosePage(call: Call, view: View, parts: Parts): Response {
  const { resource } = view;
  const entries = parts.choices().map(([value, name, about]) => {
    const query = new URLSearchParams(call.query);
    query.set(parts.by, value);
    return { href: `${listPath(resource)}new/?${query}`, name, about };
  });
  return page(
    call,
    { title: `New ${nounOf(resource)}`, above: [[titleOf(view), listPath(resource)]] },
    <ul class="choose">
      {entries.map(({ href, name, about }) => (
        <li>
          <a href={href}>{name}</a>
          <small>{about}</small>
        </li>
      ))}
    </ul>,
  );
}

/** Returns the query of the form of a kind, so that its URL has the kind after an error, too. */
export function chosenQuery(view: View, state: FormState): string {
  const chosen = chosenIn(view, state);
  return view.parts === undefined || !isChosen(view.parts, chosen)
    ? ""
    : `?${new URLSearchParams({ [view.parts.by]: chosen })}`;
}
