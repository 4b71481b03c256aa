/** The table of a preview's rows, with the errors of cells. */

import { counted, numberText } from "../../../base/amounts.ts";
import { certificates } from "../../../domain/certificates/mod.ts";
import {
  isTable,
  type PreviewCell,
  type PreviewPage,
  type PreviewRow,
} from "../../../domain/certificates/import_preview/mod.ts";
import type { Call } from "../../call.ts";
import { Badge, type Html, type Tone, truncate, withQuery } from "../../kit/components/mod.ts";
import { columnTitleOf, labelOf } from "../../messages.ts";
import { objectPath } from "../../paths.ts";
import { previewPath } from "./paths.tsx";
import { messageText, ownMessages } from "./preview_parts.tsx";

/** Maximum characters of a cell. */
const MAX_SEEN = 28;
/** Characters of a fingerprint in the table. */
const SHORT_FINGERPRINT = 12;
/** A table with more rows scrolls below its head. */
const MAX_UNSCROLLED_ROWS = 25;

/** Returns the name of the control for a cell. */
export function cellName(place: number, column: string): string {
  return `cell.${place}.${column}`;
}

/** The column by which a row is recognized; it is next to the result of the row. */
const NAME = "common_name";
/** Parameter that shows columns without values, too. */
const EMPTY = "empty";

/** Returns the path of a row's page, where it is corrected. */
export function rowPath({ key }: PreviewPage, { place }: PreviewRow): string {
  return `${previewPath(key)}rows/${place}/`;
}

/** Renders the rows with their cells; columns without values only on request. */
export function PreviewTable({ call, preview }: { call: Call; preview: PreviewPage }): Html {
  const { rows } = preview;
  const { shown, empty } = columnsOf(preview);
  const columns = call.query.get(EMPTY) === "show" ? [...shown, ...empty] : shown;
  const hasMessages = rows.some(({ messages }) => Object.keys(messages).length > 0);
  return (
    <div
      class={[
        "table preview",
        rows.length > MAX_UNSCROLLED_ROWS ? "long" : "",
        hasMessages ? "" : "brief",
      ].filter(Boolean).join(" ")}
      role="region"
      aria-label="Rows"
      tabindex={0}
    >
      <table>
        <caption class="hidden">Rows and their results</caption>
        <thead>
          <tr>
            <th scope="col" class="number">Row</th>
            <th scope="col" class="result">Result</th>
            {columns.map(({ name }) => (
              <th scope="col" class={name === NAME ? "name" : undefined}>{columnTitleOf(name)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              <th scope="row" class="number">
                <a href={rowPath(preview, row)}>{row.place}</a>
              </th>
              <Result row={row} preview={preview} />
              {columns.map(({ name, index }) => (
                <Cell name={name} cell={row.cells[index] ?? null} wrong={ownMessages(row, name).length > 0} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Names the columns without values, which are hidden, with the link that shows them. */
export function HiddenColumns({ call, preview }: { call: Call; preview: PreviewPage }): Html | null {
  const { empty } = columnsOf(preview);
  if (empty.length === 0 || preview.rows.length === 0) return null;
  const isShown = call.query.get(EMPTY) === "show";
  const count = counted(empty.length, "empty column");
  return (
    <a class="columns-switch" href={withQuery(call.url, { [EMPTY]: isShown ? null : "show" })}>
      {isShown ? `Hide ${count}` : `Show ${count}`}
    </a>
  );
}

interface Column {
  readonly name: string;
  readonly index: number;
}

/** Returns the columns with their indexes: the name, those with errors in these rows, others; and those without values. */
function columnsOf({ columns, rows }: PreviewPage): { shown: Column[]; empty: Column[] } {
  const all = columns.map((name, index) => ({ name, index }));
  const isWrong = ({ name }: Column): boolean => rows.some((row) => ownMessages(row, name).length > 0);
  const isEmpty = ({ index }: Column): boolean =>
    rows.every(({ cells }) => (cells[index]?.text ?? "").trim() === "");
  const rank = (one: Column): number => one.name === NAME ? 0 : isWrong(one) ? 1 : isEmpty(one) ? 3 : 2;
  const sorted = all.map((one) => ({ one, at: rank(one) })).sort((a, b) => a.at - b.at);
  return {
    shown: sorted.filter(({ at }) => at < 3).map(({ one }) => one),
    empty: sorted.filter(({ at }) => at === 3).map(({ one }) => one),
  };
}

const STATUS = {
  create: ["new", "good"],
  update: ["update", "good"],
  unchanged: ["unchanged", "info"],
  skip: ["skipped", "info"],
  error: ["error", "bad"],
} as const;

/** Words for rows after the import. */
const DONE: Readonly<Partial<Record<PreviewRow["status"], string>>> = {
  create: "imported",
  update: "updated",
  error: "not imported",
};

/** Begins the reason of a row that repeats another one. */
const DUPLICATE = /^Duplicate of /;

/** Returns the text of a row's badge. No row can be imported until all columns are known. */
function wordOf(
  { status, messages }: PreviewRow,
  { confirmed, errors }: PreviewPage,
): readonly [string, Tone] {
  const [word, tone] = STATUS[status];
  if (confirmed !== null) return [DONE[status] ?? word, tone];
  if (Object.values(messages).flat().some((text) => DUPLICATE.test(text))) return ["duplicate", tone];
  return errors.length > 0 && status !== "error" ? ["waiting", "plain"] : [word, tone];
}

/**
 * Renders the result of a row and its messages: here they are in sight, however far the table is scrolled. On a
 * phone, which has no space for the other cells, also the invalid values and a link to correct them are shown.
 */
function Result({ row, preview }: { row: PreviewRow; preview: PreviewPage }): Html {
  const [word, tone] = wordOf(row, preview);
  const messages = ownMessages(row, "__all__");
  const wrong = Object.entries(row.messages).filter(([name]) => name !== "__all__");
  const { certificateId: id } = row;
  const correctable = row.status === "error" && preview.confirmed === null && isTable(preview);
  return (
    <td class="result">
      {correctable
        // On a phone, the button below has the same address.
        ? (
          <a href={rowPath(preview, row)} class="to-row" aria-label={`Correct row ${row.place}: ${word}`}>
            <Badge value={word} tone={tone} />
          </a>
        )
        : <Badge value={word} tone={tone} />}
      {id === null
        ? null
        : (
          <a href={objectPath(certificates, id)} aria-label={`View the certificate of row ${row.place}`}>
            View
          </a>
        )}
      {messages.length === 0
        ? null
        : <small class={row.status === "error" ? "error" : "faint"}>{messageText(messages)}</small>}
      {wrong.map(([name, texts]) => (
        <small class="error">
          <span class="column">{labelOf(name)}:</span>{" "}
          <bdi class="value">{valueText(row.cells[preview.columns.indexOf(name)] ?? null)}</bdi>
          <br />
          {messageText(texts)}
        </small>
      ))}
      {correctable
        ? (
          <a
            role="button"
            class="secondary small correct-row"
            href={rowPath(preview, row)}
            aria-label={`Correct row ${row.place}`}
          >
            Correct
          </a>
        )
        : null}
    </td>
  );
}

function Cell(
  { name, cell, wrong }: { name: string; cell: PreviewCell; wrong: boolean },
): Html {
  const isLong = !wrong && name === "fingerprint_sha256" && cell !== null &&
    cell.text.length > SHORT_FINGERPRINT;
  return (
    <td
      class={name === NAME ? "name" : undefined}
      aria-invalid={wrong ? "true" : undefined}
      title={isLong ? cell.text : hint(cell)}
    >
      {cell === null ? null : (
        <bdi>
          {isLong ? `${cell.text.slice(0, SHORT_FINGERPRINT).replace(/:$/, "")}…` : seenText(cell)}
        </bdi>
      )}
    </td>
  );
}

function valueText(cell: PreviewCell): string {
  return cell === null || cell.text.trim() === "" ? "empty" : seenText(cell);
}

/** Returns the text of a cell in the table, in one line. */
export function seenText(cell: NonNullable<PreviewCell>): string {
  return truncate(cell.text, MAX_SEEN);
}

/** Returns the full text of a truncated cell for the title; undefined if the row's page shows it. */
function hint(cell: PreviewCell): string | undefined {
  if (cell === null || cell.text.length <= MAX_SEEN) return undefined;
  return cell.length === cell.text.length ? cell.text : `${numberText(cell.length)} characters`;
}
