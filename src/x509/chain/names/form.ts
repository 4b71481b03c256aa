/** The operations that name constraints need for each form of name (RFC 5280 §4.2.1.10). */

import type { GeneralName } from "../../types.ts";

/**
 * One form of name. Names and constraints are parsed once and compared many times. If one cannot be parsed,
 * the result is undefined: such a name is refused if its form is constrained, and such a constraint permits
 * no name.
 */
export interface NameForm<Name, Constraint> {
  /** The form's name in messages. */
  readonly label: string;
  readName(name: GeneralName): Name | undefined;
  readConstraint(base: GeneralName): Constraint | undefined;
  /** Returns whether every host or mailbox that the name can mean is within the subtree. */
  within(name: Name, constraint: Constraint): boolean;
  /**
   * Returns whether some host or mailbox that the name can mean is within the subtree. Defined only for forms
   * for which that differs from `within`.
   */
  mayOverlap?(name: Name, constraint: Constraint): boolean;
}
