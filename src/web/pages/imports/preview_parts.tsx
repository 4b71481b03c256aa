/** What the previews of certificates and of tables share. */

import { numberText } from "../../../base/amounts.ts";
import type { FieldErrors } from "../../../base/errors.ts";
import type { RowStatus } from "../../../domain/certificates/import/mod.ts";
import { assetPath } from "../../assets/mod.ts";
import type { Call } from "../../call.ts";
import { Badge, type Content, type Html, Icon, type Tone, truncate } from "../../kit/components/mod.ts";
import { withLabels, withoutIds } from "../../messages.ts";
import { page } from "../../shell/mod.ts";
import { ADD } from "./paths.tsx";

/** Renders a page below "Add certificates"; `above` are further pages above it. */
export function importPage(
  call: Call,
  { above = [], errors = {}, ...head }: {
    title: string;
    above?: readonly (readonly [label: string, path: string])[];
    actions?: Html | null;
    errors?: FieldErrors;
  },
  content: Content,
): Response {
  return page(
    call,
    {
      ...head,
      above: [["Certificates", "/certificates/"], ["Add certificates", ADD], ...above],
      ...(Object.keys(errors).length === 0 ? {} : { status: 400 }),
    },
    <>
      <link rel="stylesheet" href={assetPath("imports.css")} />
      {content}
    </>,
  );
}

/** A number of rows, and their result in words: 5 "can be imported". */
export type Part = readonly [count: number, words: string, tone: Tone];

/** Renders the numbers that are not 0. */
export function Counts({ parts }: { parts: readonly Part[] }): Html {
  return (
    <>
      {parts.filter(([count]) => count > 0).map(([count, words, tone]) => (
        <Badge value={`${numberText(count)} ${words}`} tone={tone} />
      ))}
    </>
  );
}

/** Returns what the import would do with rows. */
export function expectedParts(counts: Readonly<Partial<Record<RowStatus, number>>>): Part[] {
  const { create = 0, update = 0, unchanged = 0, skip = 0, error = 0 } = counts;
  return [
    [create, "can be imported", "good"],
    [update, "can be updated", "good"],
    [unchanged, unchanged === 1 ? "has nothing new" : "have nothing new", "info"],
    [skip, skip === 1 ? "is skipped" : "are skipped", "info"],
    [error, error === 1 ? "has errors" : "have errors", "bad"],
  ];
}

/** Renders what is wrong with the text or file as a whole: one sentence, or a list below an introduction. */
export function Problems({ tone, intro, sentences, children }: {
  tone: "warn" | "error";
  intro?: string;
  sentences: readonly string[];
  children?: Content;
}): Html | null {
  if (sentences.length === 0) return null;
  const [first, ...more] = sentences;
  return (
    <div class={`flash ${tone}`} role="alert">
      <Icon name="warning" />
      {intro === undefined && more.length === 0 ? <p>{first}</p> : (
        <div>
          {intro === undefined ? null : <p>{intro}</p>}
          <ul>{sentences.map((one) => <li>{one}</li>)}</ul>
          {children}
        </div>
      )}
    </div>
  );
}

/** Maximum characters of a message. */
const MAX_MESSAGE = 240;

/** Returns the messages about a cell or a row as one text; the page has a link to an existing certificate. */
export function messageText(messages: readonly string[]): string {
  return truncate(messages.map(withoutIds).map(withLabels).join(" "), MAX_MESSAGE);
}

/** Returns the messages about a column of a row; `__all__` is the row as a whole. */
export function ownMessages(
  { messages }: { readonly messages: FieldErrors },
  name: string,
): readonly string[] {
  return Object.hasOwn(messages, name) ? messages[name] ?? [] : [];
}
