/** What users should know before they delete a certificate: where it is still installed, and that they can archive it. */

import { numberText } from "../../base/amounts.ts";
import { certificates } from "../../domain/certificates/mod.ts";
import { updateObject } from "../../resource/mod.ts";
import { type Call, idOf } from "../call.ts";
import { Form, type Html } from "../components/mod.ts";
import { certificatesById, mayActOn, ObjectLink } from "../objects/mod.ts";
import { objectPath } from "../paths.ts";
import { attempt, done } from "../responses.ts";
import { placesOf, withInstalledOn } from "./installed_on.tsx";

/** Number of objects that the page names. */
const SHOWN = 5;

/** Renders it; at most three statements. */
export async function deletionAdvice(call: Call, id: number): Promise<Html> {
  const [found, mayChange] = await Promise.all([
    certificatesById(call, [id], ["id", "archived"]),
    mayActOn(call, certificates, { action: "change", id }),
  ]);
  const [row] = await withInstalledOn(call, [...found.values()]);
  const places = row === undefined ? [] : placesOf(row);
  const others = places.length - SHOWN;
  return (
    <>
      {places.length === 0 ? null : (
        <p>
          <strong>Still installed on</strong> {places.slice(0, SHOWN).map((brief, index) => (
            <>
              {index === 0 ? "" : ", "}
              <ObjectLink brief={brief} />
            </>
          ))}
          {others > 0 ? ` and ${numberText(others)} more` : ""}.
        </p>
      )}
      {!mayChange || row === undefined || row.archived === true
        ? null
        : (
          <Form call={call} action={`${objectPath(certificates, id)}archive/`}>
            <p>
              An archived certificate stays with its history, but lists, notices and reports leave it out.
            </p>
            <p>
              <button type="submit" class="secondary">Archive instead</button>
            </p>
          </Form>
        )}
    </>
  );
}

/** Archives a certificate: `POST /certificates/<id>/archive/`. */
export async function archiveOne(call: Call): Promise<Response> {
  const id = idOf(call);
  const back = objectPath(certificates, id);
  return await attempt({ call, back, codes: ["invalid", "conflict"] }, async () => {
    await updateObject({
      ctx: call.ctx,
      resource: certificates,
      id,
      input: { archived: true },
      mode: "patch",
      accepts: undefined,
    });
    return done(call, back, "Certificate archived.");
  });
}
