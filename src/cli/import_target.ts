/** Targets of an import: a running service, or the database itself. */

import type { Context } from "../auth/mod.ts";
import { AppError } from "../base/errors.ts";
import { importPem, isImportReport } from "../domain/certificates/import/mod.ts";
import { refusalText } from "./failure.ts";
import { callService, type ServiceAddress, ServiceRefusal } from "./service_client.ts";

/** A stored certificate. */
interface Stored {
  readonly id: number;
  readonly common_name: string;
  readonly serial_number: string;
}

/** Result of a text. */
export interface Imported {
  readonly created: readonly Stored[];
  readonly updated: number;
  readonly unchanged: number;
  readonly skipped: readonly {
    readonly common_name: string;
    readonly serial_number: string;
    readonly reason: string;
  }[];
  /** Why the whole text was refused; undefined if it was not. */
  readonly refusal?: string;
}

/** Fields in addition to `pem_content`. */
export type ImportFields = Readonly<Record<string, unknown>>;

/** Imports a text. Throws if it makes no sense to continue (no response, no permission). */
export type ImportTarget = (text: string) => Promise<Imported>;

interface SplitAnswer {
  certificates: Imported["created"];
  updated_count?: number | undefined;
  unchanged_count?: number | undefined;
  skipped: Imported["skipped"];
}

const NOTHING = { created: [], updated: 0, unchanged: 0, skipped: [] } as const;

/** Returns the import through a running service. */
export function serviceTarget(service: ServiceAddress, fields: ImportFields): ImportTarget {
  return async (text) => {
    const body = { ...fields, pem_content: text, split: true };
    try {
      return outcomeOf(await callService<SplitAnswer>(service, { path: "certificates/import/", body }));
    } catch (error) {
      const aboutText = error instanceof ServiceRefusal && [400, 413].includes(error.status);
      if (aboutText) return { ...NOTHING, refusal: error.message };
      throw error;
    }
  };
}

/** Returns the import into the database. */
export function databaseTarget(ctx: Context, fields: ImportFields): ImportTarget {
  return async (text) => {
    try {
      const result = await importPem({ ctx, input: { ...fields, pem_content: text, split: true } });
      if (!isImportReport(result)) throw new Error("An import that splits returns a report");
      return outcomeOf(result);
    } catch (error) {
      const aboutText = error instanceof AppError && error.code === "invalid";
      if (aboutText) return { ...NOTHING, refusal: refusalText(error.public) };
      throw error;
    }
  };
}

function outcomeOf({ certificates, updated_count, unchanged_count, skipped }: SplitAnswer): Imported {
  const created = certificates.map(({ id, common_name, serial_number }) => ({
    id,
    common_name,
    serial_number,
  }));
  return { created, updated: updated_count ?? 0, unchanged: unchanged_count ?? 0, skipped };
}
