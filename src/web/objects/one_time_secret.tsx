/** A secret that is shown when it is made, and never again. */

import { Copyable, type Html } from "../components/mod.ts";

/** The secret, what it is for, and the way on. */
export function OneTimeSecret(
  { text, label, use, to }: { text: string; label: string; use: string; to: string },
): Html {
  return (
    <section>
      <p>Copy this now: it is not shown again. Store it like a password.</p>
      <Copyable text={text} label={label} oneLine />
      <p>{use}</p>
      <p>
        <a href={to} role="button">Continue</a>
      </p>
    </section>
  );
}
