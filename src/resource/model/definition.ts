/**
 * What a resource is: described once, and from that listed, read, written, filtered, sorted, constrained,
 * documented (OpenAPI) and served by every surface.
 */

import type { SQL } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { z } from "zod";
import type { Context } from "../../auth/mod.ts";
import type { FieldErrors } from "../../base/errors.ts";
import type { Cell, Row, Transaction } from "../../db/mod.ts";
import type { FilterField, OrderKey } from "../../filters/mod.ts";

/** Where the values of a row come from while it is selected. */
export interface SelectContext {
  /** Name under which the resource's table stands in the statement. */
  readonly alias: string;
  readonly ctx: Context;
}

/** A raw column of a statement: the name under which it comes back, and its expression. */
export type Selected = readonly [name: string, expression: SQL];

/** One object on its way into the store. */
export interface Draft {
  readonly id: number;
  /** Raw row before the change (all recorded columns); absent when it is created. */
  readonly before?: Row;
  /** Set where the caller gave the object as a whole (PUT): what creation needs is needed again. */
  readonly replaces?: true;
  /** What the caller gave, parsed, by field; references are resolved to ids. */
  readonly input: Record<string, unknown>;
  /** Columns to be written. Filled from the input by each field; hooks may add derived ones. */
  readonly row: Record<string, Cell>;
  /** Findings about this object; one entry refuses the whole call. */
  readonly errors: FieldErrors;
  /** Replies only to this call: values that are never stored (the key of a new token). */
  readonly reveal: Record<string, unknown>;
}

/** One field of a resource. Made by the functions in `fields/`. */
export interface Field {
  readonly name: string;
  readonly description: string;
  /** Must be given on create and PUT. */
  readonly required: boolean;
  /** Ignored in request bodies. */
  readonly readOnly: boolean;
  /** Never read back. */
  readonly writeOnly: boolean;
  /** Set where more is stored than is read and recorded, so that writing it is a change whatever the record says. */
  readonly conceals?: true;
  /** Left out of lists unless asked for (the long texts). */
  readonly long: boolean;
  /** What a caller may give; absent for read-only fields. */
  readonly input?: z.ZodType;
  /** What a caller gets. */
  readonly output: z.ZodType;
  /** Names of other fields whose columns this one reads. */
  readonly needs: readonly string[];
  /** Column values that come back for this field. */
  readonly select: (context: SelectContext) => readonly Selected[];
  /** The wire value, from the raw row. */
  readonly read: (row: Row, ctx: Context) => unknown;
  /** The value that the change record keeps; undefined when it keeps none. */
  readonly record?: (row: Row) => unknown;
  /** Extra columns that only the change record needs. */
  readonly selectRecord?: (context: SelectContext) => readonly Selected[];
  /** Columns of the resource's own table that a parsed input value fills. */
  readonly columns?: (value: unknown) => Record<string, Cell>;
  /** Statements that store the values kept in side tables, for all drafts that carry one. */
  readonly store?: (drafts: readonly Draft[]) => readonly SQL[];
  /** What these values are, once a draft that creates has been stored, by the names that `record` reads. */
  readonly storedValues?: (draft: Draft) => Readonly<Record<string, unknown>>;
  /** ParsedBody value when nothing is given on create. */
  readonly fallback?: unknown;
  /** The resource that this field refers to, once or (`many`) as a list; the kit turns its input into ids. */
  readonly target?: () => Resource;
  readonly many?: boolean;
  /** The table that joins the resources of a list of references. */
  readonly link?: Link;
  /** The resource whose brief form is shown, where nothing can be written (`target` is for what is). */
  readonly shows?: () => Resource;
  /** The resources that a generic reference may point to, by the object type in another column. */
  readonly targets?: readonly Resource[];
  /** The column of a reference (and that of the type), and what becomes of the row when its target is deleted. */
  readonly foreignKey?: {
    readonly column: string;
    readonly typeColumn?: string;
    readonly onDelete: OnDelete;
    readonly resetRule?: ResetRule;
  };
  /** How it may be filtered, sorted and constrained, by wire name. */
  readonly filters: Readonly<Record<string, FilterField>>;
}

/** A table that joins two resources; `type` is the constant object type when it serves several. */
export interface Link {
  readonly table: string;
  readonly own: string;
  readonly other: string;
  readonly type?: string;
}

/** A set of columns that no two rows share. */
export interface UniqueRule {
  readonly columns: readonly string[];
  /** Set where the columns compare without case (COLLATE NOCASE). */
  readonly ignoreCase?: boolean;
  /** Set where NULL equals NULL: no tenant is one place, too. */
  readonly nullsEqual?: boolean;
  /** Field that the message stands under; `__all__` when there are several columns. */
  readonly field: string;
  readonly message: string;
}

/**
 * What becomes of a row when the one it refers to is deleted: it forbids the deletion, goes along, forgets the
 * reference, or keeps it (the log of what was). Rows that go (`cascade`) or forget have change records of their own; rows
 * that never had any (results, logs) go without one (`drop`).
 */
export type OnDelete = "restrict" | "cascade" | "drop" | "clear" | "keep";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** What a row concludes from its target: the columns go back to these values when the target's fields change. */
export interface ResetRule {
  /** Fields of the target; each is its own column. */
  readonly on: readonly string[];
  readonly columns: Readonly<Record<string, Cell>>;
}

/** Values of one request body by field, and what was wrong with them. */
export interface ParsedBody {
  readonly input: Record<string, unknown>;
  readonly errors: FieldErrors;
  /** Becomes the draft's own. */
  readonly reveal: Record<string, unknown>;
}

/** What a hook works on. */
export interface WriteStep {
  readonly ctx: Context;
  readonly tx: Transaction;
  readonly drafts: readonly Draft[];
}

/** A resource. */
export interface Resource {
  /** `certmgr.certificate`. */
  readonly objectType: string;
  /** Below `/api/`, without slashes at the ends: `plugins/certmgr/certificates`. */
  readonly path: string;
  /** Names in prose: `certificate`, `certificates`. */
  readonly label: string;
  readonly labelPlural: string;
  readonly table: SQLiteTable;
  readonly fields: Readonly<Record<string, Field>>;
  /** Fields of the brief form, beside `id`, `url` and `display`. */
  readonly brief: readonly string[];
  /** Names of fields that `display` reads. */
  readonly displayNeeds: readonly string[];
  readonly display: (row: Row) => string;
  /** Text fields that `q` looks into. */
  readonly searchFields: readonly string[];
  /** The condition of `q`, where it is more than that. */
  readonly search?: (text: string, alias: string) => SQL;
  /** Filters that are no fields (`has_assignments`). */
  readonly filters: Readonly<Record<string, FilterField>>;
  readonly methods: { readonly collection: readonly Method[]; readonly item: readonly Method[] };
  readonly order: readonly OrderKey[];
  /** Table of the numbers of rows in runs of ids, where one is kept (`certificate_blocks`). */
  readonly blocks?: string;
  /** The reference, never null, to what a row is a part of: where that is hidden, so is the row. */
  readonly within?: string;
  /** Whether some column changes without a change record, so that counts cannot be remembered. */
  readonly untracked: boolean;
  readonly unique: readonly UniqueRule[];
  /** Set where objects are created one at a time: each has a secret that is shown once, and a quota. */
  readonly createsOne?: true;
  /** Set where an unknown field in a body is refused: a mistyped name would give other rights than intended. */
  readonly refusesUnknown?: true;
  /** Whether changes are announced to webhooks. */
  readonly events: boolean;
  /** Further actions that permissions may name, beside view, add, change and delete. */
  readonly actions: readonly string[];
  /** Another action that allows writing too (`manage_compliance` on policies). */
  readonly writeAction?: string;
  /** Slow work on what was given, before the database is locked (hashing a password); may add errors. */
  readonly beforeWrite?: (
    step: { readonly ctx: Context; readonly given: readonly ParsedBody[] },
  ) => Promise<void>;
  /** Derives and judges drafts before uniqueness is checked; may read through `tx`. */
  readonly prepare?: (step: WriteStep) => Promise<void>;
  /** Judges a deletion before it is done; throws to refuse it. */
  readonly beforeDelete?: (step: { ctx: Context; tx: Transaction; rows: readonly Row[] }) => Promise<void>;
  /** Called when a change of this resource has been committed (caches). */
  readonly afterCommit?: (ctx: Context) => void;
}
