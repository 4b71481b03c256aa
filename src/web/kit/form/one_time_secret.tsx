/** The page that shows a new secret once. */

import { Copyable, type Html } from "../components/mod.ts";

/** Renders the secret, its purpose, and a link to continue; `open` is a URL that opens the secret in a program. */
export function OneTimeSecret(
  { text, label, use, to, open }: {
    text: string;
    label: string;
    use: string;
    to: string;
    open?: readonly [label: string, address: string];
  },
): Html {
  return (
    <section>
      <p>Copy this now: it is not shown again. Store it like a password.</p>
      <Copyable text={text} label={label} oneLine />
      <p>{use}</p>
      <p>
        {open === undefined ? null : <a href={open[1]} role="button" class="secondary">{open[0]}</a>}{" "}
        <a href={to} role="button">Continue</a>
      </p>
    </section>
  );
}
