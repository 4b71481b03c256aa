/** The table of a preview's rows, with the errors of cells. */

import { certificates } from "../../domain/certificates/mod.ts";
import type { PreviewCell, PreviewPage, PreviewRow } from "../../domain/certificates/import_preview/mod.ts";
import { Badge, type Html, type Tone, truncate } from "../components/mod.ts";
import { entryPosition, labelOf, withLabels, withoutIds, withPositions } from "../messages.ts";
import { objectPath } from "../paths.ts";
import { previewPath } from "./paths.ts";

/** Maximum characters of a cell. */
const MAX_SEEN = 28;
/** Characters of a fingerprint in the table. */
const SHORT_FINGERPRINT = 12;
/** Maximum characters of a message. */
const MAX_MESSAGE = 240;

/** Returns the name of the control for a cell. */
export function cellName(place: number, column: string): string {
  return `cell.${place}.${column}`;
}

/** Renders the rows with all their cells. */
export function PreviewTable({ preview }: { preview: PreviewPage }): Html {
  const { rows, key } = preview;
  const columns = wrongFirst(preview);
  return (
    <div class="table preview" role="region" aria-label="Rows" tabindex={0}>
      <table>
        <caption class="hidden">Rows and their results</caption>
        <thead>
          <tr>
            <th scope="col" class="number">Row</th>
            <th scope="col">Result</th>
            {columns.map(({ name }) => <th scope="col">{labelOf(name)}</th>)}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              <th scope="row" class="number">
                <a href={`${previewPath(key)}rows/${row.place}/`}>{row.place}</a>
              </th>
              <Result row={row} preview={preview} />
              {columns.map(({ name, index }) => (
                <Cell name={name} cell={row.cells[index] ?? null} messages={ownMessages(row, name)} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Returns the columns with their indexes; those with errors in these rows are first. */
function wrongFirst({ columns, rows }: PreviewPage): { name: string; index: number }[] {
  const all = columns.map((name, index) => ({ name, index }));
  const isWrong = ({ name }: { name: string }): boolean =>
    rows.some((row) => ownMessages(row, name).length > 0);
  return [...all.filter(isWrong), ...all.filter((one) => !isWrong(one))];
}

/** Returns the messages about a column of a row; `__all__` is the row as a whole. */
export function ownMessages({ messages }: PreviewRow, name: string): readonly string[] {
  return Object.hasOwn(messages, name) ? messages[name] ?? [] : [];
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

/** Returns the text of a row's badge. No row can be imported until all columns are known. */
function wordOf({ status }: PreviewRow, { confirmed, errors }: PreviewPage): readonly [string, Tone] {
  const [word, tone] = STATUS[status];
  if (confirmed !== null) return [DONE[status] ?? word, tone];
  return errors.length > 0 && status !== "error" ? ["waits for columns", "plain"] : [word, tone];
}

/** Renders the result of a row and its messages. */
function Result({ row, preview }: { row: PreviewRow; preview: PreviewPage }): Html {
  const [word, tone] = wordOf(row, preview);
  const messages = ownMessages(row, "__all__");
  const bad = Object.keys(row.messages).filter((name) => name !== "__all__");
  const { certificateId: id } = row;
  return (
    <td class="result">
      <Badge value={word} tone={tone} />
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
      {bad.length === 0 ? null : <small class="faint">errors in {bad.map(labelOf).join(", ")}</small>}
    </td>
  );
}

function Cell(
  { name, cell, messages }: { name: string; cell: PreviewCell; messages: readonly string[] },
): Html {
  if (messages.length === 0) {
    const isLong = name === "fingerprint_sha256" && cell !== null && cell.text.length > SHORT_FINGERPRINT;
    return isLong
      ? (
        <td title={cell.text}>
          <bdi>{`${cell.text.slice(0, SHORT_FINGERPRINT).replace(/:$/, "")}…`}</bdi>
        </td>
      )
      : <td title={hint(cell)}>{seen(cell)}</td>;
  }
  return (
    <td aria-invalid="true" title={hint(cell)}>
      {seen(cell)}
      <small class="error">{messageText(messages)}</small>
    </td>
  );
}

function seen(cell: PreviewCell): Html | null {
  return cell === null ? null : <bdi>{seenText(cell)}</bdi>;
}

/** Returns the text of a cell in the table, in one line. */
export function seenText(cell: NonNullable<PreviewCell>): string {
  return truncate(cell.text, MAX_SEEN);
}

/** Returns the full text of a truncated cell for the title; undefined if the row's page shows it. */
function hint(cell: PreviewCell): string | undefined {
  if (cell === null || cell.text.length <= MAX_SEEN) return undefined;
  return cell.length === cell.text.length ? cell.text : `${cell.length.toLocaleString("en")} characters`;
}

/** Returns the messages about a cell or a row as one text. */
export function messageText(messages: readonly string[]): string {
  return truncate(
    withPositions(messages, entryPosition).map(withoutIds).map(withLabels).join(" "),
    MAX_MESSAGE,
  );
}
