/**
 * The types of a resource's definition. All interfaces list, read, write, filter, sort, restrict and document
 * (OpenAPI) objects from this one definition.
 */

import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Context } from "../../auth/mod.ts";
import type { Finding } from "../../base/findings.ts";
import type { ObjectRow, Transaction } from "../../db/mod.ts";
import type { Draft, Field, Values } from "./field.ts";
import type { Identity, ObjectOf } from "./objects.ts";
import type { IgnoredRows } from "../write/unique.ts";
import type { Condition, FieldMap, FilterField, OrderKey } from "../../filters/mod.ts";

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
  readonly finding: Finding;
}

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Parsed values of a request body by field, and errors about them. */
export interface ParsedBody {
  readonly input: Values;
  readonly errors: Finding[];
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
export interface Resource<Of extends Identity = ObjectOf<Field>, Stored extends ObjectRow = ObjectRow> {
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
  /** Filters that are not fields (`has_assignments`). */
  readonly filters: Readonly<Record<string, FilterField>>;
  readonly methods: { readonly collection: readonly Method[]; readonly item: readonly Method[] };
  readonly order: readonly OrderKey[];
  /** The non-nullable reference to the object of which a row is a part. A row is visible only if that object is. */
  readonly within?: string;
  /** Whether columns change without a change record, so that counts cannot be cached. */
  readonly untracked: boolean;
  readonly unique: readonly UniqueRule[];
  /** Actions of permissions in addition to view, add, change and delete. */
  readonly actions: readonly string[];
  readonly search: Search;
  readonly listed?: Listed;
  readonly written?: Written;
  readonly hooks?: Hooks<Stored>;
}

/** What `q` finds. */
export interface Search {
  /** Text fields. */
  readonly fields: readonly string[];
  /** Returns further conditions; rows that fulfil one of them are found, too. */
  readonly also?: (text: string) => readonly Condition[];
}

/** How lists of many objects are read. */
export interface Listed {
  readonly setAside?: SetAside;
  /** Table with the number of rows per block of ids (`certificate_blocks`), if there is one. */
  readonly blocks?: string;
  /** A field by whose values indexes are divided, the orders in these, and filters that select several values. */
  readonly divided?: { readonly field: string } & Record<"values" | "orders" | "filters", readonly string[]>;
}

/** What bodies of writes may have. */
export interface Written {
  /** Another action that also allows writes (`manage_compliance` on policies). */
  readonly action?: string;
  /** Set if objects are created one at a time: each has a secret that is shown once and a quota, or selects others. */
  readonly oneByOne?: true;
  /** Set if unknown fields are refused, because a mistyped name would grant other rights than intended. */
  readonly knownOnly?: true;
  /**
   * NetBox's fields that the service does not support and that would change the meaning of an object, with a
   * description. They must be empty.
   */
  readonly unsupported?: Readonly<Record<string, string>>;
}

/** Code that runs in the writes of a resource. Methods, which TypeScript compares bivariantly. */
export interface Hooks<Stored extends ObjectRow = ObjectRow> {
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
