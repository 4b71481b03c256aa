/**
 * The types of a resource's definition. From one definition objects are listed, read, written, filtered, sorted,
 * restricted, documented (OpenAPI) and offered by every interface.
 */

import type { SQL } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { z } from "zod";
import type { Context } from "../../auth/mod.ts";
import type { Millis } from "../../base/clock.ts";
import type { FieldErrors } from "../../base/errors.ts";
import type { Cell, PackedColumn, Row, Transaction } from "../../db/mod.ts";
import type { Condition, FieldMap, FilterField, OrderKey } from "../../filters/mod.ts";

/** The context in which the columns of a SELECT are built. */
export interface SelectContext {
  /** Alias of the resource's table in the statement. */
  readonly alias: string;
  readonly ctx: Context;
}

/** A raw column of a SELECT: its name in the result, its expression, and how its value is decoded. */
export type Selected = PackedColumn;

/** An object that is being created or updated. */
export interface Draft {
  readonly id: number;
  /** Raw row before the change (all recorded columns); absent for a new object. */
  readonly before?: Row;
  /** Set for PUT, which replaces the complete object and needs all required fields. */
  readonly replaces?: true;
  /** Parsed input by field; references are resolved to ids. */
  readonly input: Record<string, unknown>;
  /** Columns to write: those of the input's fields, and derived ones that hooks add. */
  readonly row: Record<string, Cell>;
  /** Findings about this object. Any entry refuses the complete request. */
  readonly errors: FieldErrors;
  /** Values that only the response contains and that are never stored (the key of a new token). */
  readonly reveal: Record<string, unknown>;
  /** The caller's comment on the change, for the change log. */
  readonly message?: string;
}

/** A column and the encoding of its values, so that bulk writes need not create an object per value. */
export interface SingleColumn {
  readonly column: string;
  readonly encode: (value: unknown) => Cell;
}

/** Returns the columns in which a value is stored; `one` is set if it is always the same single column. */
export interface StoredColumns {
  (value: unknown): Record<string, Cell>;
  readonly one?: SingleColumn;
}

/** Returns the wire value from the raw row; `one` is set if it only decodes one cell, which needs no row. */
export interface ReadField {
  (row: Row, ctx: Context): unknown;
  readonly one?: ReadCell;
}

/** A column, and how its cells are decoded; absent: they are wire values. */
export interface ReadCell {
  readonly column: string;
  readonly decode?: ((cell: Cell) => unknown) | undefined;
}

/** One field of a resource. Made by the functions in `fields/`. */
export interface Field {
  readonly name: string;
  /** Name on pages; default: made from `name`. */
  readonly label?: string;
  readonly description: string;
  /** Required on create and PUT. */
  readonly required: boolean;
  /** Ignored in request bodies. */
  readonly readOnly: boolean;
  /** Never read back. */
  readonly writeOnly: boolean;
  /** Set if more is stored than is recorded, so that every write of it counts as a change. */
  readonly conceals?: true;
  /** Not included in lists by default (long texts). */
  readonly long: boolean;
  /** Set for a column of a text or list that may be large; counts in the budget of a page like a long text. */
  readonly large?: true;
  /** Returns the bytes of a long text; default: those of the column with the field's name. */
  readonly bytes?: (alias: string) => SQL;
  /** Input schema; absent for read-only fields. */
  readonly input?: z.ZodType;
  /** Output schema. */
  readonly output: z.ZodType;
  /** Names of other fields whose columns this one reads. */
  readonly needs: readonly string[];
  /** Columns to select for this field. */
  readonly select: (context: SelectContext) => readonly Selected[];
  /** Returns the wire value from the raw row. */
  readonly read: ReadField;
  /** Returns the value for the change record; undefined if it has none. */
  readonly record?: (row: Row) => unknown;
  /** Columns to select for the change record; default: those of `select`. */
  readonly selectRecord?: (context: SelectContext) => readonly Selected[];
  /** Returns the columns of the resource's table in which a parsed value is stored. */
  readonly columns?: StoredColumns;
  /** Returns the statements that store the values in side tables, for all drafts that contain one. */
  readonly store?: (drafts: readonly Draft[]) => readonly SQL[];
  /** Returns the values that `store` has stored for a new object, by the column names that `record` reads. */
  readonly storedValues?: (draft: Draft) => Readonly<Record<string, unknown>>;
  /** Whether it is a text in Markdown, which pages render. */
  readonly markdown?: true;
  /**
   * A value with a notation: a color in hexadecimal digits, a slug, for which pages derive a value from the name, or
   * headers of a request, an object whose values read as null.
   */
  readonly notation?: "color" | "slug" | "headers";
  /** Labels by value, of a choice that reads as `{value, label}`. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Default value on create. */
  readonly fallback?: unknown;
  /** The resource to which this field refers, by one reference or (`many`) a list; input is resolved to ids. */
  readonly target?: () => Resource;
  readonly many?: boolean;
  /** Another name of a field, for clients of NetBox; not part of GraphQL, forms and pages. */
  readonly alias?: true;
  /** The link table of a list of references. */
  readonly link?: Link;
  /** The resource whose brief form a read-only field shows. */
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
  /** Filters, orderings and constraints on this field, by wire name. */
  readonly filters: Readonly<Record<string, FilterField>>;
}

/** A link table of two resources; `type` is the constant object type if several resources share the table. */
export interface Link {
  readonly table: string;
  readonly own: string;
  readonly other: string;
  readonly type?: string;
}

/** A uniqueness rule: a set of columns whose values no two rows share. */
export interface UniqueRule {
  readonly columns: readonly string[];
  /** Set if the columns compare case-insensitively (COLLATE NOCASE). */
  readonly ignoreCase?: boolean;
  /** Set if NULL equals NULL: objects without tenant share one namespace. */
  readonly nullsEqual?: boolean;
  /** Field of the message; `__all__` for several columns. */
  readonly field: string;
  readonly message: string;
}

/**
 * Effect on a row when the row it refers to is deleted: `restrict` refuses the deletion, `cascade` deletes the row,
 * `clear` sets the reference to null, both with a change record; the foreign key itself does so without change records
 * for `drop`, which deletes results and logs, and for `detach`, which sets the reference of a log to null; `keep` leaves
 * the reference (logs of past objects).
 */
export type OnDelete = "restrict" | "cascade" | "drop" | "clear" | "detach" | "keep";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Columns that are derived from the target: they are reset to these values when certain fields of the target change. */
export interface ResetRule {
  /** Fields of the target whose changes cause the reset. */
  readonly on: readonly string[];
  readonly columns: Readonly<Record<string, Cell>>;
}

/** Parsed values of a request body by field, and findings about them. */
export interface ParsedBody {
  readonly input: Record<string, unknown>;
  readonly errors: FieldErrors;
  /** Becomes `reveal` of the draft. */
  readonly reveal: Record<string, unknown>;
  /** `changelog_message`: the caller's comment on the change. */
  readonly message?: string;
}

/** Arguments of a hook. */
export interface WriteStep {
  readonly ctx: Context;
  readonly tx: Transaction;
  readonly drafts: readonly Draft[];
}

/** Rows that lists leave out unless a filter names them (archived certificates). */
export interface SetAside {
  /** The filter that replaces the default condition. */
  readonly filter: string;
  /** The condition of lists without that filter. */
  readonly condition: Condition;
  /** Table with the ids that this condition leaves out, and its column. */
  readonly table: string;
  readonly column: string;
}

/** The definition of a resource. */
export interface Resource {
  /** `certmgr.certificate`. */
  readonly objectType: string;
  /** Its fields for filters, orderings, constraints and restrictions. */
  readonly map: FieldMap;
  /** Path below `/api/`, without leading and trailing slashes: `plugins/certmgr/certificates`. */
  readonly path: string;
  /** Name of its pages, `/<name>/`; default: the last part of `path`. */
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
  readonly display: (row: Row) => string;
  /** Text fields that `q` searches. */
  readonly searchFields: readonly string[];
  /** An index over the column of the first of them: texts that most rows contain are counted along it. */
  readonly searchIndex?: string;
  /** Custom condition of `q`. */
  readonly search?: (text: string, alias: string) => SQL;
  /** Filters that are not fields (`has_assignments`). */
  readonly filters: Readonly<Record<string, FilterField>>;
  readonly methods: { readonly collection: readonly Method[]; readonly item: readonly Method[] };
  readonly order: readonly OrderKey[];
  readonly setAside?: SetAside;
  /** Table with the number of rows per block of ids, if any (`certificate_blocks`). */
  readonly blocks?: string;
  /** The non-nullable reference to the object of which a row is a part: a row is visible only if that object is. */
  readonly within?: string;
  /** Whether columns change without a change record, so that counts cannot be cached. */
  readonly untracked: boolean;
  /** Selects the first time after `now` at which rows read or match differently without a change; absent: never. */
  readonly nextChange?: (now: Millis) => SQL;
  /** Set if its changes change rows of other resources without change records of theirs. */
  readonly changesOthers?: true;
  readonly unique: readonly UniqueRule[];
  /** Set if objects are created one at a time: each has a secret that is shown once, and a quota. */
  readonly createsOne?: true;
  /** Set if unknown fields in a body are refused: a mistyped name would give other rights than intended. */
  readonly refusesUnknown?: true;
  /**
   * Fields of NetBox that the service does not have and that would change what an object means, with what they are: a
   * body may only leave them empty.
   */
  readonly unsupported?: Readonly<Record<string, string>>;
  /** Actions of permissions in addition to view, add, change and delete. */
  readonly actions: readonly string[];
  /** Another action that also allows writes (`manage_compliance` on policies). */
  readonly writeAction?: string;
  /** Slow work on the input before the database is locked (hashing a password); may add errors. */
  readonly beforeWrite?: (
    step: { readonly ctx: Context; readonly given: readonly ParsedBody[] },
  ) => Promise<void>;
  /** Derives columns and validates drafts before uniqueness is checked; may read through `tx`. */
  readonly prepare?: (step: WriteStep) => Promise<void>;
  /** Checks rows and links after they are stored and before the commit; may add errors, which refuse the request. */
  readonly afterStore?: (step: WriteStep) => Promise<void>;
  /** Checks a deletion; throws to refuse it. */
  readonly beforeDelete?: (step: { ctx: Context; tx: Transaction; rows: readonly Row[] }) => Promise<void>;
  /** Called after a change of this resource was committed (to clear caches). */
  readonly afterCommit?: (ctx: Context) => void;
}
