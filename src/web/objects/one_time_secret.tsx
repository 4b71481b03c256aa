/** The page that shows a new secret once. */

import { Copyable, type Html } from "../components/mod.ts";

/** Renders the secret, its purpose, and a link to continue. */
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
