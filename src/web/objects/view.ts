/** How a resource is shown: what cannot be read off its definition. */

import type { Resource } from "../../resource/mod.ts";
import type { Call } from "../call.ts";
import { type Content, type SelectOption, truncate } from "../components/mod.ts";
import { capitalized } from "../messages.ts";

/** An object as operations return it. */
export type ApiObject = Readonly<Record<string, unknown>> & { readonly id: number; readonly display: string };

/** What stands in each field of a form: one text, or several where several may be chosen. */
export type FormState = Readonly<Record<string, string | readonly string[]>>;

/** The pages of one resource. */
export interface View {
  readonly resource: Resource;
  /** What the list is called, where that is not the resource's own name. */
  readonly heading?: string;
  /** Fields that the list shows, in addition to the object's name. */
  readonly columns: readonly string[];
  /** Parameters of the list that have a field in its filter form. */
  readonly filters: readonly string[];
  /** Fields that the form asks for, in order; all that can be written unless told. */
  readonly form?: readonly string[];
  /** Fields that stand before all others in a form that asks for all. */
  readonly first?: readonly string[];
  /** Fields that the page of one object leaves out. */
  readonly unshown?: readonly string[];
  /** What an object is called, where its `display` says too little, and the fields that this reads. */
  readonly title?: { readonly needs: readonly string[]; readonly of: (object: ApiObject) => string };
  /** What to do where there is nothing yet. */
  readonly empty: string;
  /** Choices for fields and filters whose definition has none. A list of values is then chosen from it. */
  readonly options?: Readonly<Record<string, () => readonly SelectOption[]>>;
  /** Lists of other objects that belong to one: label and address. */
  readonly related?: (object: ApiObject) => readonly (readonly [label: string, path: string])[];
  /** More buttons on the page of one object. */
  readonly actions?: (call: Call, object: ApiObject) => Promise<Content>;
  /** More sections on the page of one object. */
  readonly sections?: (call: Call, object: ApiObject) => Content | Promise<Content>;
  /** More on the form, each under the field that it is about. */
  readonly notes?: Readonly<Record<string, (call: Call, state: FormState) => Content>>;
  /** A page in place of the new object's own: what is shown this once. */
  readonly created?: (call: Call, object: ApiObject) => Response | undefined;
}

/** The name of the list: "Compliance policies". */
export function titleOf({ resource, heading }: View): string {
  return heading ?? capitalized(resource.labelPlural);
}

/** Characters of a name that stands alone. */
const NAME_CHARS = 150;

/** What an object is called, in a line. */
export function nameOf({ title }: View, object: ApiObject): string {
  return truncate(title?.of(object) ?? object.display, NAME_CHARS);
}

/** The fields that an object's name is made of. */
export function nameFields({ title }: View): readonly string[] {
  return ["id", "url", "display", ...title?.needs ?? []];
}
