/** dNSName: a name lies within a constraint when it is that name with zero or more labels added to the left. */

import { latin1 } from "../../strings.ts";
import type { NameForm } from "./form.ts";
import { isBelow, isHost, isHostPattern } from "./syntax.ts";

/** Lower-case text. A constraint with a leading period wants at least one label more; the empty one holds all. */
export const dnsForm: NameForm<string, string> = {
  label: "DNS name",
  readName({ der }): string | undefined {
    const text = latin1(der).toLowerCase();
    return isHostPattern(text) ? text : undefined;
  },
  readConstraint({ der }): string | undefined {
    const text = latin1(der).toLowerCase();
    return text === "" || isHost(text.startsWith(".") ? text.slice(1) : text) ? text : undefined;
  },
  within(name, constraint): boolean {
    if (constraint === "" || name === constraint) return true;
    return isBelow(name, constraint.startsWith(".") ? constraint : `.${constraint}`);
  },
  mayTouch(name, constraint): boolean {
    return dnsForm.within(name, constraint) || (name.includes("*") && matchesPattern(name, constraint));
  },
};

/** Whether a wildcard name has an instance within the constraint; a wildcard stands for one label. */
function matchesPattern(pattern: string, constraint: string): boolean {
  const wanted = constraint.split(".");
  const labels = pattern.split(".");
  if (wanted.length > labels.length) return false;
  const tail = labels.slice(labels.length - wanted.length);
  return tail.every((label, index) => label.includes("*") || label === wanted[index] || wanted[index] === "");
}
