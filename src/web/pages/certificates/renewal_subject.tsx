/** The certificate that is renewed: what its successor has to have, in a box above the choice of the successor. */

import { numberText } from "../../../base/amounts.ts";
import { type Certificate, certificates } from "../../../domain/certificates/mod.ts";
import type { Call } from "../../call.ts";
import {
  BreakableName,
  Copyable,
  Expiry,
  type Html,
  Property,
  PropertyList,
  truncate,
} from "../../kit/components/mod.ts";
import { ObjectLinks } from "../../kit/mod.ts";
import { objectPath } from "../../paths.ts";
import { keyText } from "./columns.tsx";
import { loadDescription } from "./detail/mod.ts";
import { EndpointCount, placesOf, withAssignedTo } from "./assigned_to.tsx";
import { namesOf } from "./renewal_preview.tsx";

/** Maximum characters of the names; the page of the certificate has longer lists. */
const MAX_NAMES_CHARS = 10_000;
/** Maximum characters of the subject and of the issuer. */
const MAX_TEXT_CHARS = 500;
/** Number of objects to which it is assigned. */
const SHOWN_PLACES = 5;

/** Reads what the certificate is assigned to and its subject, and renders the box. Two statements. */
export async function renewalSubject(call: Call, certificate: Certificate): Promise<Html> {
  const [[row = certificate], contents] = await Promise.all([
    withAssignedTo(call, [certificate]),
    loadDescription(call, certificate),
  ]);
  const places = placesOf(row);
  const names = [...new Set(namesOf(row))];
  const list = names.join("\n");
  const text = (value: string): Html | null =>
    value === "" ? null : <bdi>{truncate(value, MAX_TEXT_CHARS)}</bdi>;
  return (
    <section class="card" aria-labelledby="current">
      <h2 id="current">
        Current certificate: <bdi>{BreakableName({ text: truncate(row.common_name, MAX_TEXT_CHARS) })}</bdi>
      </h2>
      <PropertyList>
        <Property name="Expires">
          <Expiry row={row} />
        </Property>
        <Property name="Key">{keyText(row)}</Property>
        <Property name="Subject">{text(contents?.subject.text ?? "")}</Property>
        <Property name="Issuer">{text(row.issuer)}</Property>
        <Property name="Assigned to">
          {places.length === 0 ? EndpointCount(row) : <ObjectLinks briefs={places} most={SHOWN_PLACES} />}
        </Property>
      </PropertyList>
      <div class="names">
        <h2>Names</h2>
        {list.length <= MAX_NAMES_CHARS
          ? <Copyable text={list} label="names" worded />
          : <a href={objectPath(certificates, row.id)}>View all {numberText(names.length)} names</a>}
      </div>
    </section>
  );
}
