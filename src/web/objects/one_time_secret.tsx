/** A secret that is shown when it is made, and never again. */

import { Copyable, type Html } from "../components/mod.ts";

/** The secret, what it is for, and the way on. */
export function OneTimeSecret(
  { text, label, use, to }: { text: string; label: string; use: string; to: string },
): Html {
  return (
    <section>
      <p>This is shown once and can be read nowhere again. Keep it where you keep passwords.</p>
      <Copyable text={text} label={label} oneLine />
      <p>{use}</p>
      <p>
        <a href={to} role="button">I have kept it</a>
      </p>
    </section>
  );
}
