/** How a resource is shown: what cannot be read off its definition. */

import type { Resource } from "../../resource/mod.ts";
import type { Call } from "../call.ts";
import type { Content, SelectOption } from "../kit/mod.ts";

/** An object as verbs give it. */
export type Shown = Readonly<Record<string, unknown>> & { readonly id: number; readonly display: string };

/** The pages of one resource. */
export interface View {
  readonly resource: Resource;
  /** Fields that the list shows, beside the object's name. */
  readonly columns: readonly string[];
  /** Parameters of the list that have a field in its filter form. */
  readonly filters: readonly string[];
  /** Fields that the form asks for, in order; all that can be written unless told. */
  readonly form?: readonly string[];
  /** Fields that the page of one object leaves out. */
  readonly unshown?: readonly string[];
  /** What to do where there is nothing yet. */
  readonly empty: string;
  /** Closed lists for fields that do not say theirs. */
  readonly options?: Readonly<Record<string, () => readonly SelectOption[]>>;
  /** Lists of other objects that belong to one: label and address. */
  readonly related?: (object: Shown) => readonly (readonly [label: string, path: string])[];
  /** More buttons on the page of one object. */
  readonly actions?: (call: Call, object: Shown) => Content;
  /** More sections on the page of one object. */
  readonly sections?: (call: Call, object: Shown) => Content | Promise<Content>;
  /** More on the form, behind its fields. */
  readonly formNotes?: (call: Call) => Content;
}

/** The name of the list: "Compliance policies". */
export function titleOf({ resource }: View): string {
  return resource.labelPlural.charAt(0).toUpperCase() + resource.labelPlural.slice(1);
}

/** "a tenant", "an authority". */
export function oneOf({ resource }: View): string {
  return `${
    /^[aeiou]/.test(resource.label) && !/^(us|uni)/.test(resource.label) ? "an" : "a"
  } ${resource.label}`;
}
