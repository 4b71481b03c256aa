/** The types of the fields of a resource. The functions in `fields/` make them. */

import type { SQL } from "drizzle-orm";
import type { z } from "zod";
import type { Context } from "../../auth/mod.ts";
import type { Finding } from "../../base/findings.ts";
import type { Cell, ObjectRow, PackedColumn, Row } from "../../db/mod.ts";
import type { FilterField } from "../../filters/mod.ts";
import type { Resource } from "./definition.ts";

/** The context in which the columns of a SELECT are built. */
export interface SelectContext {
  /** Alias of the resource's table in the statement. */
  readonly alias: string;
  readonly ctx: Context;
}

/** A raw column of a SELECT: its name in the result, its expression, and how its value is decoded. */
export type Selected = PackedColumn;

/** Values by name. */
export type Values = Record<string, unknown>;

/** An object that is being created or updated, with the types of its row and of its parsed values. */
export interface Draft<Stored extends ObjectRow = ObjectRow, Input extends Values = Values> {
  readonly id: number;
  /** The raw row before the change (all recorded columns); absent for a new object. */
  readonly before?: Stored;
  /** Set for PUT, which replaces the complete object and requires all required fields. */
  readonly replaces?: true;
  /** Parsed input by field; references are resolved to ids. */
  readonly input: Input;
  /** Columns to write: those of the input's fields, and derived ones that hooks add. */
  readonly row: Record<string, Cell>;
  /** Errors about this object. Any of them refuses the whole request. */
  readonly errors: Finding[];
  /** Values that are only in the response and never stored (the key of a new token). */
  readonly reveal: Values;
  /** The caller's comment on the change, for the change log. */
  readonly message?: string | undefined;
}

/** Returns the API's value from the raw row. `one` is set if it only decodes one cell, which needs no row. */
export interface ReadField {
  (row: Row, ctx: Context): unknown;
  readonly one?: ReadCell;
}

/** A column, and the function that decodes its cells. Without one, they are the API's values. */
export interface ReadCell {
  readonly column: string;
  readonly decode?: ((cell: Cell) => unknown) | undefined;
}

/**
 * A field of a resource. The functions in `fields/` create fields. `Out` is the type of its values in objects that the
 * service returns, `In` that of its parsed values in drafts.
 */
export interface Field<Name extends string = string, Out = unknown, In = unknown> {
  readonly name: Name;
  readonly description: string;
  /** Required on create and PUT. */
  readonly required: boolean;
  /** Ignored in request bodies. */
  readonly readOnly: boolean;
  /** Never returned. */
  readonly writeOnly: boolean;
  /** Not included in lists by default (long texts). */
  readonly long: boolean;
  /** Input schema; absent for read-only fields. */
  readonly input?: z.ZodType;
  /** Output schema. */
  readonly output: z.ZodType<Out>;
  /** Names of other fields whose columns this field reads. */
  readonly needs: readonly string[];
  /** Columns to select for this field. */
  readonly select: (context: SelectContext) => readonly Selected[];
  /** Returns the API's value from the raw row. */
  readonly read: ReadField;
  /** Returns the columns of the resource's table in which a parsed value is stored. */
  readonly columns?: (value: unknown) => Record<string, Cell>;
  /** Default value on create. */
  readonly fallback?: In;
  /** Whether a value is a list of references or of choices. */
  readonly many?: boolean;
  readonly record?: FieldRecord;
  readonly side?: SideTable;
  readonly refers?: Referring;
  readonly shown?: Shown;
  readonly size?: Size;
  /** Filters, orderings and constraints for this field, by their names in the API. */
  readonly filters: Readonly<Record<string, FilterField>>;
}

/** What the change record has of a field. Without this, it has nothing. */
export interface FieldRecord {
  readonly read: (row: Row) => unknown;
  /** Columns to select; by default those of the field. */
  readonly select?: (context: SelectContext) => readonly Selected[];
  /** Set if more is stored than is recorded, so that every write of it counts as a change. */
  readonly conceals?: true;
}

/** How values are stored outside of the resource's table. */
export interface SideTable {
  /** Returns the statements that store the values for all drafts that contain one. */
  readonly store: (drafts: readonly Draft[]) => readonly SQL[];
  /** Returns what `store` has stored for a new object, by the names of the columns that the record reads. */
  readonly values?: (draft: Draft) => Readonly<Values>;
}

/** To which objects a field refers. */
export interface Referring {
  /** The resource to which a field refers that can be written, by one reference or a list. Input is resolved to ids. */
  readonly target?: () => Resource;
  /** Set if only visible objects may be named, because every user may write the field. */
  readonly requiresView?: true;
  /** The link table of a list of references. */
  readonly link?: Link;
  /** The resource whose brief form a read-only field returns. */
  readonly shows?: () => Resource;
  /** The possible target resources of a generic reference. */
  readonly targets?: readonly Resource[];
  /** The column of a reference (and that of its object type), and the effect of deleting its target. */
  readonly foreignKey?: {
    readonly column: string;
    readonly typeColumn?: string;
    readonly onDelete: OnDelete;
    readonly resetRule?: ResetRule;
  };
}

/** How pages show a field. */
export interface Shown {
  /** Name on pages; derived from that of the field by default. */
  readonly label?: string;
  /** Whether it is a text in Markdown. */
  readonly markdown?: true;
  /**
   * The notation of a value: a color in hexadecimal digits, a slug, which pages derive from the name, or
   * headers of a request, an object whose values are always null in responses.
   */
  readonly notation?: "color" | "slug" | "headers";
  /** Labels by value, for a choice that is returned as `{value, label}`. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Set for another name of a field, for NetBox's clients. It is not part of GraphQL, forms and pages. */
  readonly alias?: true;
}

/** Size of texts and lists that may be large. They count in the budget of a page. */
export interface Size {
  readonly large?: true;
  /** Returns the size in bytes; by default that of the column with the field's name. */
  readonly bytes?: (alias: string) => SQL;
}

/** A link table of two resources. `type` is the constant object type if several resources share the table. */
export interface Link {
  readonly table: string;
  readonly own: string;
  readonly other: string;
  readonly type?: string;
}

/**
 * Effect on a row when the row to which it refers is deleted. `restrict` refuses the deletion. `cascade`
 * deletes the row and `clear` sets the reference to null, both with a change record. With `drop` (results and
 * logs) and `detach` (references of logs), the foreign key itself does the same without change records.
 * `keep` keeps the reference (logs of past objects).
 */
export type OnDelete = "restrict" | "cascade" | "drop" | "clear" | "detach" | "keep";

/**
 * Columns that are derived from the target. They are reset to these values when certain fields of the target
 * change.
 */
export interface ResetRule {
  /** Fields of the target that cause the reset when they change. */
  readonly on: readonly string[];
  readonly columns: Readonly<Record<string, Cell>>;
}
