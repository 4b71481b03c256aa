/** The table of a preview's rows, with the errors of cells. */

import { certificates } from "../../domain/certificates/mod.ts";
import {
  isTable,
  type PreviewCell,
  type PreviewPage,
  type PreviewRow,
} from "../../domain/certificates/import_preview/mod.ts";
import { Badge, type Html, truncate } from "../components/mod.ts";
import { entryPosition, labelOf, withPositions } from "../messages.ts";
import { objectPath } from "../paths.ts";
import { previewPath } from "./paths.ts";

/** Maximum characters of a cell. */
const MAX_SEEN = 28;
/** Maximum characters of a message. */
const MAX_MESSAGE = 240;

/** Name of the control for a cell; {@link cellsOf} reads it. */
export function cellName(place: number, column: string): string {
  return `cell.${place}.${column}`;
}

/** Renders the table; with `badFirst`, columns with errors come first, and their bad cells are controls of a form. */
export function PreviewTable({ preview, badFirst }: { preview: PreviewPage; badFirst: boolean }): Html {
  const { rows, key, confirmed } = preview;
  const editable = badFirst && confirmed === null && isTable(preview);
  const columns = columnsOf(preview, badFirst);
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
              <Result row={row} done={confirmed !== null} />
              {columns.map(({ name, index }) => (
                <Cell
                  cell={row.cells[index] ?? null}
                  messages={ownMessages(row, name)}
                  control={editable ? { place: row.place, column: name } : undefined}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Columns with the index of their cells. */
function columnsOf({ rows, columns }: PreviewPage, badFirst: boolean): { name: string; index: number }[] {
  const all = columns.map((name, index) => ({ name, index }));
  if (!badFirst) return all;
  const bad = new Set(rows.flatMap(({ messages }) => Object.keys(messages)));
  return [...all.filter(({ name }) => bad.has(name)), ...all.filter(({ name }) => !bad.has(name))];
}

function ownMessages({ messages }: PreviewRow, name: string): readonly string[] {
  return Object.hasOwn(messages, name) ? messages[name] ?? [] : [];
}

const STATUS = {
  create: ["new", "good"],
  update: ["update", "good"],
  unchanged: ["unchanged", "info"],
  skip: ["skipped", "info"],
  error: ["error", "bad"],
} as const;

/** Words for rows that were stored. */
const DONE: Readonly<Partial<Record<PreviewRow["status"], string>>> = {
  create: "imported",
  update: "updated",
};

/** Renders the result of a row and its messages. */
export function Result({ row, done }: { row: PreviewRow; done: boolean }): Html {
  const [word, tone] = STATUS[row.status];
  const messages = ownMessages(row, "__all__");
  const bad = Object.keys(row.messages).filter((name) => name !== "__all__");
  const { certificateId: id } = row;
  return (
    <td class="result">
      <Badge value={done ? DONE[row.status] ?? word : word} tone={tone} />
      {id === null
        ? null
        : (
          <a href={objectPath(certificates, id)} aria-label={`View the certificate of row ${row.place}`}>
            View
          </a>
        )}
      {messages.length === 0
        ? null
        : <small class={row.status === "error" ? "error" : "faint"}>{said(messages)}</small>}
      {bad.length === 0 ? null : <small class="faint">in {bad.map(labelOf).join(", ")}</small>}
    </td>
  );
}

interface CellProps {
  readonly cell: PreviewCell;
  readonly messages: readonly string[];
  /** The cell to correct in place. */
  readonly control: { readonly place: number; readonly column: string } | undefined;
}

function Cell({ cell, messages, control }: CellProps): Html {
  if (messages.length === 0) return <td title={hint(cell)}>{seen(cell)}</td>;
  // The row's own page has the whole text of a long cell.
  if (control !== undefined && (cell === null || cell.length === cell.text.length)) {
    const name = cellName(control.place, control.column);
    return (
      <td class="wrong">
        <input
          name={name}
          value={cell?.text ?? ""}
          aria-label={`${labelOf(control.column)} in row ${control.place}`}
          aria-invalid="true"
          aria-describedby={`${name}-error`}
        />
        <small class="error" id={`${name}-error`}>{said(messages)}</small>
      </td>
    );
  }
  return (
    <td aria-invalid="true" title={hint(cell)}>
      {seen(cell)}
      <small class="error">{said(messages)}</small>
    </td>
  );
}

function seen(cell: PreviewCell): Html | null {
  return cell === null ? null : <bdi>{truncate(cell.text, MAX_SEEN)}</bdi>;
}

/** Returns the full text of a truncated cell for the title; undefined if the row's page shows it. */
function hint(cell: PreviewCell): string | undefined {
  if (cell === null || cell.text.length <= MAX_SEEN) return undefined;
  return cell.length === cell.text.length ? cell.text : `${cell.length.toLocaleString("en")} characters`;
}

function said(messages: readonly string[]): string {
  return truncate(withPositions(messages, entryPosition).join(" "), MAX_MESSAGE);
}
