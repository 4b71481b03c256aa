/** What the previews of certificates and of tables share. */

import { counted, numberText } from "../../../base/amounts.ts";
import { ALL_FIELDS, type FieldErrors, type Finding } from "../../../base/findings.ts";
import type { RowStatus } from "../../../domain/certificates/import/mod.ts";
import type { PreviewHead } from "../../../domain/certificates/import_preview/mod.ts";
import { assetPath } from "../../assets/mod.ts";
import type { Call } from "../../call.ts";
import { Badge, type Content, type Html, Icon, type Tone, truncate } from "../../kit/components/mod.ts";
import { sentenceOf } from "../../messages.ts";
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

/** Names the format of a table, and the sheet that was read. */
export function sourceText({ format, sheet }: PreviewHead): string {
  if (sheet === undefined) return format.toUpperCase();
  const others = sheet.others === 0 ? "" : ` (${counted(sheet.others, "other sheet")} not read)`;
  return `XLSX, sheet "${truncate(sheet.sheet, MAX_TITLE)}"${others}`;
}

/** Maximum characters of a title, which is that of spreadsheet programs. */
const MAX_TITLE = 31;

/** A number of rows, and their result in words: 5 "can be imported". */
export type Part = readonly [count: number, words: string, tone: Tone];

/** Renders the numbers that are not 0. */
export function Counts({ parts }: { parts: readonly Part[] }): Html {
  return (
    <>
      {parts.filter(([count]) => count > 0).map(([count, words, tone]) => (
        <>
          <Badge value={`${numberText(count)} ${words}`} tone={tone} />
          {" "}
        </>
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
export function Problems({ tone, intro, sentences }: {
  tone: "warn" | "error";
  intro?: string;
  sentences: readonly string[];
}): Html | null {
  if (sentences.length === 0) return null;
  const [first, ...more] = sentences;
  return (
    <div class={`flash ${tone}`} role="alert">
      <Icon name="warning" />
      {intro === undefined && more.length === 0 ? <p>{first}</p> : (
        <div>
          {intro !== undefined && <p>{intro}</p>}
          <ul>{sentences.map((one) => <li>{one}</li>)}</ul>
        </div>
      )}
    </div>
  );
}

/** Maximum characters of a message. */
const MAX_MESSAGE = 240;

/** Returns what is found about a cell or a row as one text. */
export function messageText(findings: readonly Finding[]): string {
  return truncate(sentencesOf(findings), MAX_MESSAGE);
}

/** Returns the sentences about a cell or a row. The page has a link to an existing certificate instead of its id. */
export function sentencesOf(findings: readonly Finding[]): string {
  return findings.map((one) => sentenceOf({ ...one, params: { ...one.params, id: undefined } })).join(" ");
}

/** Returns what is found about a column of a row; `__all__` is the row as a whole. */
export function ownMessages(
  { messages }: { readonly messages: readonly Finding[] },
  name: string,
): readonly Finding[] {
  return messages.filter(({ field }) => field === name);
}

/** Returns whether a finding is about a cell, not about the whole row. */
export function isAboutCell({ field = ALL_FIELDS }: Finding): boolean {
  return field !== ALL_FIELDS;
}
