/** Pages and actions that the search offers next to objects. */

import { certificates } from "../../../domain/certificates/mod.ts";
import { endpoints } from "../../../domain/endpoints/mod.ts";
import { resources } from "../../../domain/registry.ts";
import type { Call } from "../../call.ts";
import { type Html, Icon, type IconName } from "../../kit/components/mod.ts";
import { may } from "../../kit/mod.ts";
import { listPath } from "../../paths.ts";
import { entriesFor } from "../../shell/mod.ts";
import { nounOf } from "../../type_label.ts";

/** Number of pages and actions that a text finds. */
const PAGES = 5;

/** Returns the first pages and actions whose names have all words of a text. */
export function matchingEntries(call: Call, text: string): Offer[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return [...entriesFor(call), ...creationsFor(call)]
    .filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)))
    .slice(0, PAGES);
}

/** Renders the section that a script fills with recently opened objects of this browser; hidden without scripts. */
export function Recent(): Html {
  return (
    <section class="recent" data-recent="">
      <h2>Recent</h2>
      <ul></ul>
      <p class="faint">Objects that you open appear here.</p>
    </section>
  );
}

/** Renders links to pages and actions under a heading; nothing without any. */
export function Entries({ title, entries }: { title: string; entries: readonly Offer[] }): Html | null {
  if (entries.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <ul>
        {entries.map(({ label, path, icon }) => (
          <li>
            <a href={path}>
              <Icon name={icon} /> {label}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Returns the actions that are offered before anything is typed; all create actions would hide the pages. */
export function usualActions(call: Call): Offer[] {
  return [
    ...entriesFor(call).filter(({ action }) => action),
    ...creationsFor(call).filter(({ path }) => path === `${listPath(endpoints)}new/`),
  ];
}

/** A page or an action. */
interface Offer {
  readonly label: string;
  readonly path: string;
  readonly icon: IconName;
}

/** Returns the actions that create objects of the lists in the menu, if the user may do this. */
function creationsFor(call: Call): Offer[] {
  const lists = new Set(entriesFor(call).map(({ path }) => path));
  return resources.filter((resource) => lists.has(listPath(resource)) && may(call, resource, "add")).map((
    resource,
  ) => ({
    // The form is not the usual way to add certificates.
    label: resource === certificates ? "New certificate: enter manually" : `New ${nounOf(resource)}`,
    path: `${listPath(resource)}new/`,
    icon: "plus",
  }));
}
