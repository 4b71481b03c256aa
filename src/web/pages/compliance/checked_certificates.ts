/** Certificates next to their checks: read by their ids, and shown in the columns of the list of certificates. */

import type { Certificate } from "../../../domain/certificates/mod.ts";
import type { Call } from "../../call.ts";
import { certificateColumns, LISTED, type ListedCertificate, neededFields } from "../certificates/mod.ts";
import type { Column, Content } from "../../kit/components/mod.ts";
import { certificatesById } from "../../kit/mod.ts";

/** A row about a certificate; undefined if the user may not view it. */
interface Row {
  readonly certificate: ListedCertificate | undefined;
}

/** Reads the fields of columns of certificates by id, without those that the user may not view. One statement. */
export async function readCertificates<const Name extends string & keyof Certificate>(
  call: Call,
  ids: readonly number[],
  { columns = [], fields = [] }: { columns?: readonly string[]; fields?: readonly Name[] },
): ReturnType<typeof certificatesById<Name | (typeof LISTED)[number]>> {
  return await certificatesById(call, ids, [...LISTED, ...fields], neededFields(columns));
}

/** Returns columns of certificates for rows about certificates. */
export function columnsOfCertificates<Of extends Row>(call: Call, names: readonly string[]): Column<Of>[] {
  return certificateColumns(call, names).map(({ label, cell, under, layout = [] }): Column<Of> => {
    const of = (render: (certificate: ListedCertificate) => Content) => ({ certificate }: Of): Content =>
      certificate === undefined ? "" : render(certificate);
    return {
      label,
      cell: of(cell),
      layout: ["p2", ...layout.filter((word) => word.endsWith("share"))],
      ...(under === undefined ? {} : { under: of(under) }),
    };
  });
}
