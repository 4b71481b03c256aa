/** Fields that a form shows without controls, because they are read from a certificate. */

import type { AnyObject, Field } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { type Html, Property, PropertyList } from "../components/mod.ts";
import { textOf } from "../../forms.ts";
import { labelOf } from "../../messages.ts";
import { displayValue } from "../detail/value.tsx";
import type { View } from "../view.ts";

/** The parameter of a URL that shows controls for all fields. */
const UNLOCK = "unlock";
/** The hidden field with the names of the locked fields, which a posted form does not have. */
const LOCKED = "locked";

/** Returns the locked fields of the form of an object; none if the user has requested their controls. */
export function lockedNames(call: Call, view: View, object: AnyObject): readonly string[] {
  if (call.query.has(UNLOCK)) return [];
  return view.form?.locked?.(object).filter((name) => view.form?.fields?.includes(name)) ?? [];
}

/** Returns the locked fields of a posted form. */
export function postedLocks({ form }: Call, view: View): readonly string[] {
  if (view.form?.locked === undefined) return [];
  return textOf(form, LOCKED).split(" ").filter((name) => view.form?.fields?.includes(name));
}

/** Returns a view whose form leaves fields out. */
export function withoutFields(view: View, names: readonly string[]): View {
  const { form } = view;
  if (names.length === 0 || form?.fields === undefined) return view;
  return { ...view, form: { ...form, fields: form.fields.filter((name) => !names.includes(name)) } };
}

/** Renders the values of the locked fields, and the link that shows their controls. */
export function LockedFields(
  { call, view, names, object }: { call: Call; view: View; names: readonly string[]; object: AnyObject },
): Html | null {
  if (names.length === 0) return null;
  const { fields } = view.resource;
  // Long texts are omitted here; the page of the object shows them.
  const shown = names.flatMap((name): Field | readonly Field[] => {
    const field = fields[name];
    return field === undefined || field.long ? [] : field;
  });
  return (
    <section class="locked" aria-labelledby="locked">
      <input type="hidden" name={LOCKED} value={names.join(" ")} />
      <h2 id="locked">Read from the certificate</h2>
      <PropertyList>
        {shown.map((field) => (
          <Property name={field.label ?? labelOf(field.name)}>
            {displayValue(view, field, object[field.name])}
          </Property>
        ))}
      </PropertyList>
      <p>
        <small>
          These fields come from the PEM text. To replace the certificate, renew it. If they are wrong,{" "}
          <a href={`${call.url.pathname}?${UNLOCK}=yes`}>edit them and the PEM text</a>.
        </small>
      </p>
    </section>
  );
}
