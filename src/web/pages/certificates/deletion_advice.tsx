/** What users should know before they delete certificates: where they are still assigned or served, and that they can archive them. */

import { counted, numberText } from "../../../base/amounts.ts";
import { type Certificate, certificates } from "../../../domain/certificates/mod.ts";
import { updateObjects } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { Form, type Html } from "../../kit/components/mod.ts";
import { idsOf } from "../../forms.ts";
import { backOf, certificatesById, ObjectLinks, permittedAmong } from "../../kit/mod.ts";
import { listPath } from "../../paths.ts";
import { attempt, done, refused } from "../../responses.ts";
import { type Assigned, placesOf, withAssignedTo } from "./assigned_to.tsx";

/** Number of objects that the page names. */
const SHOWN = 5;
const ARCHIVE = `${listPath(certificates)}archive/`;

/** Renders it; at most three statements. `back` is the path to return to from the archiving. */
export async function deletionAdvice(call: Call, ids: readonly number[], back: string): Promise<Html> {
  const [found, changeable] = await Promise.all([
    certificatesById(call, ids, ["id", "archived", "endpoint_count"]),
    permittedAmong(call, certificates, { action: "change", ids }),
  ]);
  const rows = await withAssignedTo(call, [...found.values()]);
  const unarchived = rows.filter(({ archived }) => archived !== true).map(({ id }) => id);
  const mayArchive = unarchived.length > 0 && unarchived.every((id) => changeable.has(id));
  return (
    <>
      <StillUsedAt rows={rows} />
      {!mayArchive ? null : (
        <Form call={call} action={ARCHIVE}>
          <input type="hidden" name="ids" value={unarchived.join(",")} />
          <input type="hidden" name="back" value={back} />
          <p>
            {ids.length === 1
              ? "An archived certificate stays with its history, but lists, notices and reports leave it out."
              : "Archived certificates stay with their history, but lists, notices and reports leave them out."}
          </p>
          <p>
            <button type="submit" class="secondary">Archive instead</button>
          </p>
        </Form>
      )}
    </>
  );
}

/** Names the objects to which certificates are assigned, and counts the endpoints; nothing if there are none. */
function StillUsedAt(
  { rows }: { rows: readonly (Pick<Certificate, "id" | "endpoint_count"> & Assigned)[] },
): Html | null {
  const used = rows.filter((row) => placesOf(row).length > 0 || row.endpoint_count > 0);
  const places = [
    ...new Map(used.flatMap(placesOf).map((one) => [one.url ?? one.display, one])).values(),
  ];
  const endpoints = rows.reduce((sum, row) => sum + row.endpoint_count, 0);
  if (used.length === 0) return null;
  return (
    <p>
      {places.length === 0 ? null : (
        <>
          <strong>Still assigned to</strong> <ObjectLinks briefs={places} most={SHOWN} />
          {endpoints === 0 ? "" : ", "}
        </>
      )}
      {endpoints === 0 ? null : (
        <>
          <strong>{places.length === 0 ? "Still served at" : "served at"}</strong>{" "}
          {counted(endpoints, "endpoint")}
        </>
      )}
      {used.length === rows.length ? "" : ` (${numberText(used.length)} of the certificates)`}.
    </p>
  );
}

/** Archives certificates, all or none: `POST /certificates/archive/`. */
export async function archiveSelected(call: Call): Promise<Response> {
  const back = backOf(call, certificates);
  return await attempt({ call, back, codes: ["invalid", "conflict"] }, async () => {
    const ids = idsOf(call.form, "ids");
    if (ids.length === 0) return refused(call, back, "Select at least one certificate.");
    await updateObjects({
      ctx: call.ctx,
      resource: certificates,
      input: ids.map((id) => ({ id, archived: true })),
      mode: "patch",
    });
    return done(call, back, `${counted(ids.length, "certificate")} archived.`);
  });
}
