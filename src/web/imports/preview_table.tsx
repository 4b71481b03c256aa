/** The rows of a preview, with bad cells marked and told. */

import { certificates } from "../../domain/certificates/mod.ts";
import type { PreviewCell, PreviewPage, PreviewRow } from "../../domain/certificates/import_preview/mod.ts";
import { Badge, type Html, truncate } from "../components/mod.ts";
import { entryPosition, withPositions } from "../messages.ts";
import { objectPath } from "../paths.ts";
import { previewPath } from "./paths.ts";

/** Characters of a cell that are seen. */
const MAX_SEEN = 28;
/** Characters of one message that are. */
const MAX_MESSAGE = 240;

/** The table; with `badFirst` the columns in which something is wrong come first, for they are what is looked for. */
export function PreviewTable({ preview, badFirst }: { preview: PreviewPage; badFirst: boolean }): Html {
  const { rows, key, confirmed } = preview;
  const columns = columnsOf(preview, badFirst);
  return (
    <div class="table preview" role="region" aria-label="Rows" tabindex={0}>
      <table>
        <caption class="hidden">Rows and their results</caption>
        <thead>
          <tr>
            <th scope="col" class="number">Row</th>
            <th scope="col">Result</th>
            {columns.map(({ name }) => <th scope="col">{name}</th>)}
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
                <Cell cell={row.cells[index] ?? null} messages={ownMessages(row, name)} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Columns with the place of their cells. */
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
  skip: ["skipped", "info"],
  error: ["error", "bad"],
} as const;

/** What becomes of a row, and what is said of it as a whole. */
export function Result({ row, done }: { row: PreviewRow; done: boolean }): Html {
  const [word, tone] = STATUS[row.status];
  const messages = ownMessages(row, "__all__");
  const bad = Object.keys(row.messages).filter((name) => name !== "__all__");
  const { certificateId: id } = row;
  return (
    <td class="result">
      <Badge value={done && row.status === "create" ? "imported" : word} tone={tone} />
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
      {bad.length === 0 ? null : <small class="faint">in {bad.join(", ")}</small>}
    </td>
  );
}

function Cell({ cell, messages }: { cell: PreviewCell; messages: readonly string[] }): Html {
  if (messages.length === 0) return <td title={hint(cell)}>{seen(cell)}</td>;
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

/** All that is kept of a cell that is not seen whole; nothing of those that the row's own page shows. */
function hint(cell: PreviewCell): string | undefined {
  if (cell === null || cell.text.length <= MAX_SEEN) return undefined;
  return cell.length === cell.text.length ? cell.text : `${cell.length.toLocaleString("en")} characters`;
}

function said(messages: readonly string[]): string {
  return truncate(withPositions(messages, entryPosition).join(" "), MAX_MESSAGE);
}
