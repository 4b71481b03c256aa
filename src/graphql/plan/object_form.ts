/** How the objects of a query are written: the selected members, in the order of the response. */

import type { Field, Resource } from "../../resource/mod.ts";

/** A member of an object, by its key in the response. */
export type FormMember =
  & { readonly key: string }
  & (
    | { readonly kind: "typename" }
    | { readonly kind: "value"; readonly name: string; readonly field: Field | undefined }
    | { readonly kind: "ref"; readonly forms: ReadonlyMap<Resource, ObjectForm> }
    | { readonly kind: "list"; readonly form: ObjectForm }
    | { readonly kind: "total" }
  );

/** The members of an object of one type. */
export interface ObjectForm {
  /** Name of the type. */
  readonly type: string;
  readonly members: readonly FormMember[];
}
