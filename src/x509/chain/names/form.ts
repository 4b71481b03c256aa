/** What name constraints need to know about one form of name (RFC 5280 §4.2.1.10). */

import type { GeneralName } from "../../types.ts";

/**
 * One form. Names and constraints are read once and compared many times; what cannot be read is undefined: such a
 * name is refused where its form is constrained, such a constraint is refused at once.
 */
export interface NameForm<Name, Constraint> {
  /** For messages. */
  readonly label: string;
  readName(name: GeneralName): Name | undefined;
  readConstraint(base: GeneralName): Constraint | undefined;
  /** Whether every interpretation of the name is within the subtree. */
  within(name: Name, constraint: Constraint): boolean;
  /** Whether some meaning of the name could lie within the subtree, when that is not the same question. */
  mayTouch?(name: Name, constraint: Constraint): boolean;
}
