/** Effects of a deletion on other objects, and what prevents it. */

import type { CountedDependent, DeletionEffect, Resource } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import type { Content, Html } from "../components/mod.ts";
import { labelOf } from "../../messages.ts";
import { listPath } from "../../paths.ts";
import { countedObjects, nounOf, pluralOf } from "../../type_label.ts";

const SENTENCES: Readonly<Record<Exclude<DeletionEffect, "restrict">, string>> = {
  delete: "Also deleted:",
  clear: "Also changed:",
};

/** Words for references whose labels are no nouns. */
const REFERENCES: Readonly<Record<string, string>> = { replaced_by: "successor" };

/** Returns whether objects that the user may view prevent a deletion. */
export function isPrevented(found: readonly CountedDependent[]): boolean {
  return preventing(found).length > 0;
}

/** Renders a list of visible objects for each effect; nothing if there are none. */
export function DeletionEffects(
  { call, resource, ids, found }: {
    call: Call;
    resource: Resource;
    ids: readonly number[];
    found: readonly CountedDependent[];
  },
): Html | null {
  const shown = found.filter((one) => one.effect !== "clear" || !isRecord(one));
  const effects = (["delete", "clear"] as const).filter((effect) =>
    shown.some((one) => one.effect === effect)
  );
  if (effects.length === 0) return null;
  return (
    <>
      {effects.map((effect) => (
        <>
          <p>{SENTENCES[effect]}</p>
          <ul>
            {shown.filter((one) => one.effect === effect).map((one) => (
              <li>
                <Count text={countedObjects(one.resource, one.count)} path={listOf(one, { resource, ids })} />
                {effect === "clear" ? lossText(one, resource) : ""}
              </li>
            ))}
          </ul>
        </>
      ))}
      {call.ctx.actor.isSuperuser ? null : <p>Objects you may not view are not counted.</p>}
    </>
  );
}

/** Returns whether the service itself writes such objects (observations): losing a reference changes nothing for users. */
function isRecord({ resource: { methods } }: CountedDependent): boolean {
  return methods.item.every((method) => method === "GET");
}

function Count({ text, path }: { text: string; path: string | undefined }): Html {
  return path === undefined ? <>{text}</> : <a href={path} class="underlined">{text}</a>;
}

/** Returns " lose their authority"; " lose this tag" for one of several. */
function lossText({ count, field }: CountedDependent, resource: Resource): string {
  const reference = REFERENCES[field] ?? labelOf(field).toLowerCase();
  const verb = count === 1 ? "loses" : "lose";
  if (reference === pluralOf(resource)) return ` ${verb} this ${nounOf(resource)}`;
  return ` ${verb} ${count === 1 ? "its" : "their"} ${reference}`;
}

/** The objects that refer to chosen ones. */
interface Dependents {
  readonly resource: Resource;
  readonly ids: readonly number[];
  readonly found: readonly CountedDependent[];
}

/** Renders what prevents the deletion, with a link to the list of each kind. */
export function Prevented({ resource, ids, found }: Dependents): Html {
  return (
    <>
      <p>These objects refer to {ids.length === 1 ? "it" : "them"}. Change or delete them first:</p>
      <CountedKinds resource={resource} ids={ids} found={preventing(found)} />
    </>
  );
}

/** Returns the objects that prevent a deletion. */
export function preventing(found: readonly CountedDependent[]): CountedDependent[] {
  return found.filter(({ effect }) => effect === "restrict");
}

/** Renders the number of objects of each kind, with a link to its list. */
export function CountedKinds({ resource, ids, found }: Dependents): Html {
  return (
    <ul>
      {found.map((one) => (
        <li>
          <Count text={countedObjects(one.resource, one.count)} path={listOf(one, { resource, ids })} />
        </li>
      ))}
    </ul>
  );
}

/** Renders the buttons of a page about a deletion that is not possible. */
export function Back({ path, children }: { path: string; children?: Content }): Html {
  return (
    <p class="form-actions">
      {children}
      <a role="button" class="secondary" href={path}>Back</a>
    </p>
  );
}

/** Objects whose dependents a list can show together: its page has a chip for each. */
const MAX_LISTED = 20;

/**
 * Returns the path of the list of all dependents, also of those that the list leaves out by default; undefined if it has
 * no filter for them, or for so many objects.
 */
function listOf(
  dependent: CountedDependent,
  { resource, ids }: { resource: Resource; ids: readonly number[] },
): string | undefined {
  const filter = filterBy(dependent, resource);
  if (ids.length > MAX_LISTED || filter === undefined) return undefined;
  const { setAside } = dependent.resource;
  const all = setAside === undefined ? "" : `&show=all&${setAside.filter}=true&${setAside.filter}=false`;
  return `${listPath(dependent.resource)}?${ids.map((id) => `${filter}=${id}`).join("&")}${all}`;
}

/** Returns the filter of a list by the id of an object to which its objects refer; undefined if it has none. */
function filterBy(
  { resource: { map: { fields } }, field }: CountedDependent,
  { objectType }: Resource,
): string | undefined {
  const relations = Object.entries(fields).flatMap(([name, one]) =>
    (one.kind === "reference" || one.kind === "many") && one.target().objectType === objectType ? [name] : []
  );
  const name = relations.includes(field) ? field : relations.length === 1 ? relations[0] : undefined;
  return name === undefined ? undefined : `${name}_id`;
}
