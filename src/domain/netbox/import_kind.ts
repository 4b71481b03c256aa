/** How objects of a kind are imported. */

import type { Resource } from "../../resource/mod.ts";
import type { RemoteRecord } from "./remote_record.ts";

/** A kind of object. */
export interface ImportKind {
  /** Name in `--only` and in the report. */
  readonly name: string;
  /** Path below `/api/`; `{plugin}` is the path of the certificate plugin. */
  readonly path: string;
  readonly resource: Resource;
  /** Fields that are copied unchanged. */
  readonly copied: readonly string[];
  /** References by field. */
  readonly references: Readonly<Record<string, Resource>>;
  /** Fields that identify an existing object that was not imported. */
  readonly keys: readonly string[];
  /** Prefix of a generic reference: `assigned_object`. */
  readonly generic?: string;
  /** Reference that is set when all objects of the kind exist. */
  readonly later?: string;
  /** Adjusts the record before it is read. */
  readonly adjust?: (record: RemoteRecord) => RemoteRecord;
}

/** Fields that most objects have. */
export const NOTES = ["comments", "custom_fields"];
/** Fields of an object with a name and a slug. */
export const NAMED = ["name", "slug", "description", ...NOTES];
/** Options of a kind without references. */
export const plain = { copied: NAMED, references: {}, keys: ["slug"] };
