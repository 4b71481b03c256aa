/**
 * The types of a resource's definition. All interfaces list, read, write, filter, sort, restrict and document
 * (OpenAPI) objects from this one definition.
 */

import type { SQL } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { z } from "zod";
import type { Context } from "../../auth/mod.ts";
import type { FieldErrors } from "../../base/errors.ts";
import type { Cell, ObjectRow, PackedColumn, Row, Transaction } from "../../db/mod.ts";
import type { AnyObject } from "./objects.ts";
import type { IgnoredRows } from "../write/unique.ts";
import type { Condition, FieldMap, FilterField, OrderKey } from "../../filters/mod.ts";

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
  readonly errors: FieldErrors;
  /** Values that are only in the response and never stored (the key of a new token). */
  readonly reveal: Values;
  /** The caller's comment on the change, for the change log. */
  readonly message?: string | undefined;
}

/** A column and the encoding of its values, so that bulk writes need not create an object for each value. */
export interface SingleColumn {
  readonly column: string;
  encode(value: unknown): Cell;
}

/** Returns the columns in which a value is stored. `one` is set if it is always the same single column. */
export interface StoredColumns {
  (value: unknown): Record<string, Cell>;
  readonly one?: SingleColumn;
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
  /** Name on pages; derived from `name` by default. */
  readonly label?: string;
  readonly description: string;
  /** Required on create and PUT. */
  readonly required: boolean;
  /** Ignored in request bodies. */
  readonly readOnly: boolean;
  /** Never returned. */
  readonly writeOnly: boolean;
  /** Set if more is stored than is recorded, so that every write of it counts as a change. */
  readonly conceals?: true;
  /** Not included in lists by default (long texts). */
  readonly long: boolean;
  /**
   * Set for a column with a text or list that may be large. It then counts in the budget of a page like a
   * long text.
   */
  readonly large?: true;
  /** Returns the size of a long text in bytes; by default that of the column with the field's name. */
  readonly bytes?: (alias: string) => SQL;
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
  /** Returns the value for the change record; undefined if there is none. */
  readonly record?: (row: Row) => unknown;
  /** Columns to select for the change record; by default those of `select`. */
  readonly selectRecord?: (context: SelectContext) => readonly Selected[];
  /** Returns the columns of the resource's table in which a parsed value is stored. */
  readonly columns?: StoredColumns;
  /** Returns the statements that store the values in side tables, for all drafts that contain one. */
  readonly store?: (drafts: readonly Draft[]) => readonly SQL[];
  /**
   * Returns the values that `store` has stored for a new object, by the names of the columns that `record`
   * reads.
   */
  readonly storedValues?: (draft: Draft) => Readonly<Values>;
  /** Whether it is a text in Markdown, which pages render. */
  readonly markdown?: true;
  /**
   * The notation of a value: a color in hexadecimal digits, a slug, which pages derive from the name, or
   * headers of a request, an object whose values are always null in responses.
   */
  readonly notation?: "color" | "slug" | "headers";
  /** Labels by value, for a choice that is returned as `{value, label}`. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Default value on create. */
  readonly fallback?: In;
  /**
   * The resource to which this field refers, by one reference or (`many`) a list. Input is resolved to ids.
   */
  readonly target?: () => Resource;
  readonly many?: boolean;
  /** Set if only visible objects may be named, because every user may write the field. */
  readonly requiresView?: true;
  /** Set for another name of a field, for NetBox's clients. It is not part of GraphQL, forms and pages. */
  readonly alias?: true;
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
  /** Filters, orderings and constraints for this field, by their names in the API. */
  readonly filters: Readonly<Record<string, FilterField>>;
}

/** A link table of two resources. `type` is the constant object type if several resources share the table. */
export interface Link {
  readonly table: string;
  readonly own: string;
  readonly other: string;
  readonly type?: string;
}

/** A uniqueness rule: columns whose combined values no two rows share. */
export interface UniqueRule {
  readonly columns: readonly string[];
  /** Set if the columns compare ignoring case (COLLATE NOCASE). */
  readonly ignoreCase?: boolean;
  /** Set if NULL equals NULL: objects without a tenant share a namespace. */
  readonly nullsEqual?: boolean;
  /** Stored rows that do not count. */
  readonly ignored?: IgnoredRows;
  /** Field for which the error is reported; `__all__` for several columns. */
  readonly field: string;
  readonly message: string;
}

/**
 * Effect on a row when the row to which it refers is deleted. `restrict` refuses the deletion. `cascade`
 * deletes the row and `clear` sets the reference to null, both with a change record. With `drop` (results and
 * logs) and `detach` (references of logs), the foreign key itself does the same without change records.
 * `keep` keeps the reference (logs of past objects).
 */
export type OnDelete = "restrict" | "cascade" | "drop" | "clear" | "detach" | "keep";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * Columns that are derived from the target. They are reset to these values when certain fields of the target
 * change.
 */
export interface ResetRule {
  /** Fields of the target that cause the reset when they change. */
  readonly on: readonly string[];
  readonly columns: Readonly<Record<string, Cell>>;
}

/** Parsed values of a request body by field, and errors about them. */
export interface ParsedBody {
  readonly input: Values;
  readonly errors: FieldErrors;
  /** Becomes `reveal` in the draft. */
  readonly reveal: Values;
  /** `changelog_message`: the caller's comment on the change. */
  readonly message?: string | undefined;
}

/** Arguments of a hook. */
export interface WriteStep<Stored extends ObjectRow = ObjectRow, Input extends Values = Values> {
  readonly ctx: Context;
  readonly tx: Transaction;
  readonly drafts: readonly Draft<Stored, Input>[];
}

/** Rows that lists leave out unless a filter decides about them (archived certificates). */
export interface SetAside {
  /** The filter that replaces the default condition. */
  readonly filter: string;
  /** The condition of lists without this filter. */
  readonly condition: Condition;
  /** Table with the ids that this condition excludes, and its column. */
  readonly table: string;
  readonly column: string;
}

/** The definition of a resource, with the types of its objects and rows. It has methods, which TypeScript compares bivariantly. */
export interface Resource<Of extends AnyObject = AnyObject, Stored extends ObjectRow = ObjectRow> {
  /** Only a type: no resource has a value here. */
  readonly object?: Of;
  /** `certmgr.certificate`. */
  readonly objectType: string;
  /** The fields for filters, orderings, constraints and restrictions. */
  readonly map: FieldMap;
  /** Path below `/api/`, without leading and trailing slashes: `plugins/certmgr/certificates`. */
  readonly path: string;
  /** Name of its pages, `/<name>/`; by default the last part of `path`. */
  readonly page?: string;
  /** Names in texts: `certificate`, `certificates`. */
  readonly label: string;
  readonly labelPlural: string;
  readonly table: SQLiteTable;
  readonly fields: Readonly<Record<string, Field>>;
  /** Fields of the brief form in addition to `id`, `url` and `display`. */
  readonly brief: readonly string[];
  /** Names of fields that `display` reads. */
  readonly displayNeeds: readonly string[];
  display(row: Stored): string;
  /** Text fields that `q` searches. */
  readonly searchFields: readonly string[];
  /** Custom condition of `q`. */
  readonly search?: (text: string, alias: string) => SQL;
  /** Filters that are not fields (`has_assignments`). */
  readonly filters: Readonly<Record<string, FilterField>>;
  readonly methods: { readonly collection: readonly Method[]; readonly item: readonly Method[] };
  readonly order: readonly OrderKey[];
  readonly setAside?: SetAside;
  /** Table with the number of rows per block of ids (`certificate_blocks`), if there is one. */
  readonly blocks?: string;
  /** A field by whose values indexes are divided, the orders in these, and filters that select several values. */
  readonly divided?: { readonly field: string } & Record<"values" | "orders" | "filters", readonly string[]>;
  /** The non-nullable reference to the object of which a row is a part. A row is visible only if that object is. */
  readonly within?: string;
  /** Whether columns change without a change record, so that counts cannot be cached. */
  readonly untracked: boolean;
  readonly unique: readonly UniqueRule[];
  /** Set if objects are created one at a time, because each has a secret that is shown once, and a quota. */
  readonly createsOne?: true;
  /**
   * Set if unknown fields in a body are refused, because a mistyped name would grant other rights than
   * intended.
   */
  readonly refusesUnknown?: true;
  /**
   * NetBox's fields that the service does not support and that would change the meaning of an object, with a
   * description. In a body they must be empty.
   */
  readonly unsupported?: Readonly<Record<string, string>>;
  /** Actions of permissions in addition to view, add, change and delete. */
  readonly actions: readonly string[];
  /** Another action that also allows writes (`manage_compliance` on policies). */
  readonly writeAction?: string;
  /** Slow work on the input before the database is locked (hashing a password). May add errors. */
  beforeWrite?(step: { readonly ctx: Context; readonly given: readonly ParsedBody[] }): Promise<void>;
  /** Derives columns and validates drafts before uniqueness is checked. May read through `tx`. */
  prepare?(step: WriteStep<Stored>): Promise<void>;
  /** Changes other objects before valid drafts are stored. May add errors, which refuse the request. */
  beforeStore?(step: WriteStep<Stored>): Promise<void>;
  /**
   * Checks rows and links after they are stored and before the commit. May add errors, which refuse the
   * request.
   */
  afterStore?(step: WriteStep<Stored>): Promise<void>;
  /** Checks a deletion. Throws to refuse it. */
  beforeDelete?(step: { ctx: Context; tx: Transaction; rows: readonly Stored[] }): Promise<void>;
  /** Called after a change of this resource was committed (to clear caches). */
  readonly afterCommit?: (ctx: Context) => void;
}
