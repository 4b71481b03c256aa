/** Describes a tree of objects and related objects to read. */

import type { Condition, OrderKey } from "../../../filters/mod.ts";
import type { Resource } from "../../model/definition.ts";
import type { Link } from "../../model/field.ts";
import type { Selection } from "../select.ts";
import type { Brief } from "../../model/objects.ts";

/** A relation from one resource to others. */
export type Relation =
  /** The row to which a field refers. */
  | { readonly kind: "one"; readonly field: string; readonly target: Resource }
  /** The row to which a generic reference refers, if it belongs to one of these resources. */
  | { readonly kind: "any"; readonly field: string; readonly targets: readonly Resource[] }
  /** Rows on the other side of a link table. */
  | { readonly kind: "many"; readonly target: Resource; readonly link: Link }
  /** Rows with a reference to this one. */
  | {
    readonly kind: "back";
    readonly target: Resource;
    readonly column: string;
    readonly type?: { readonly column: string; readonly value: string };
  };

/** A relation to a list of rows. */
export type ListRelation = Extract<Relation, { kind: "many" | "back" }>;

/** The part of a list to read, and its order. */
export interface Slice {
  readonly filter: Condition;
  readonly order: readonly OrderKey[];
  readonly limit: number;
  readonly offset: number;
  /** Cursor paging: rows from this id on, ordered by id. */
  readonly start?: number;
}

/** What to read of the rows of a resource. */
export interface ObjectQuery {
  readonly resource: Resource;
  /** Names of fields, including references that are followed. */
  readonly fields: readonly string[];
  readonly relations: readonly RelationQuery[];
}

/** What to read of the rows of a relation: one row, a list, or a total count. */
export type RelationQuery =
  | {
    readonly kind: "ref";
    readonly key: string;
    readonly relation: Relation;
    readonly queries: readonly ObjectQuery[];
  }
  | {
    readonly kind: "list";
    readonly key: string;
    readonly relation: ListRelation;
    readonly query: ObjectQuery;
    readonly slice: Slice;
  }
  | {
    readonly kind: "total";
    readonly key: string;
    readonly relation: ListRelation;
    readonly filter: Condition;
  };

/** An object with its related objects, by the keys of the query's relations. */
export interface Node {
  readonly resource: Resource;
  readonly object: Brief;
  readonly related: Record<string, Node | Node[] | number | null>;
}

/** Returns the selection of an object query's rows. */
export function selectionOf({ fields }: ObjectQuery): Selection {
  return { brief: false, omit: [], long: false, bare: true, fields: ["id", ...fields] };
}
