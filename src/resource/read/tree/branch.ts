/** What is to be read of objects, and of what hangs on them, level by level. */

import type { Condition, OrderKey } from "../../../filters/mod.ts";
import type { Link, Resource } from "../../model/definition.ts";
import type { Selection } from "../select.ts";

/** A way from the rows of one resource to others. */
export type Relation =
  /** The row that a field refers to. */
  | { readonly kind: "one"; readonly field: string; readonly target: Resource }
  /** The row that a generic field refers to, where it is of one of these resources. */
  | { readonly kind: "any"; readonly field: string; readonly targets: readonly Resource[] }
  /** Rows joined by a link table. */
  | { readonly kind: "many"; readonly target: Resource; readonly link: Link }
  /** Rows whose column refers to this one. */
  | {
    readonly kind: "back";
    readonly target: Resource;
    readonly column: string;
    readonly type?: { readonly column: string; readonly value: string };
  };

/** A relation that gives a list. */
export type ListRelation = Extract<Relation, { kind: "many" | "back" }>;

/** Which rows of a list, in which order. */
export interface Slice {
  readonly filter: Condition;
  readonly order: readonly OrderKey[];
  readonly limit: number;
  readonly offset: number;
  /** Rows with this id or a larger one, in id order. */
  readonly start?: number;
}

/** What is read of rows of one resource. */
export interface Branch {
  readonly resource: Resource;
  /** Names of fields, those of references included where they are followed. */
  readonly fields: readonly string[];
  readonly relations: readonly RelationQuery[];
}

/** What is read of the rows at the end of a relation. */
export type RelationQuery =
  | {
    readonly kind: "ref";
    readonly key: string;
    readonly relation: Relation;
    readonly branches: readonly Branch[];
  }
  | {
    readonly kind: "list";
    readonly key: string;
    readonly relation: ListRelation;
    readonly branch: Branch;
    readonly slice: Slice;
  }
  | {
    readonly kind: "total";
    readonly key: string;
    readonly relation: ListRelation;
    readonly filter: Condition;
  };

/** An object with what hangs on it, by the keys of the branch's relations. */
export interface Node {
  readonly resource: Resource;
  readonly object: Readonly<Record<string, unknown>>;
  readonly related: Record<string, Node | Node[] | number | null>;
}

/** The selection that reads a branch's rows. */
export function selectionOf({ fields }: Branch): Selection {
  return { brief: false, omit: [], long: false, bare: true, fields: ["id", ...fields] };
}
