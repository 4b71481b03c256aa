/** Targets of an import: a running service, or the database itself. */

import type { Context } from "../auth/mod.ts";
import { AppError } from "../base/errors.ts";
import { importPem, type ImportReport, isImportReport } from "../domain/certificates/import/mod.ts";
import { refusalText } from "./failure.ts";
import { callService, type ServiceAddress, ServiceRefusal } from "./service_client.ts";

/** Result of a text; why the whole text was refused, if it was. */
export type Imported = ImportReport | { readonly refusal: string };

/** Imports a text. Throws if it makes no sense to continue (no response, no permission). */
export type ImportTarget = (text: string) => Promise<Imported>;

/** Returns the import of texts with additional fields, through a running service or into the database. */
export function textTarget(
  to: ServiceAddress | Context,
  fields: Readonly<Record<string, unknown>>,
): ImportTarget {
  return async (text) => {
    const input = { ...fields, pem_content: text, split: true };
    try {
      if ("url" in to) {
        return await callService<ImportReport>(to, { path: "certificates/import/", body: input });
      }
      const result = await importPem({ ctx: to, input });
      if (!isImportReport(result)) throw new Error("An import that splits returns a report");
      return result;
    } catch (error) {
      if (error instanceof ServiceRefusal && [400, 413].includes(error.status)) {
        return { refusal: error.message };
      }
      if (error instanceof AppError && error.code === "invalid") {
        return { refusal: refusalText(error.public) };
      }
      throw error;
    }
  };
}
