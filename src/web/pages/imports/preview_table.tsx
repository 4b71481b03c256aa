/** The table of a preview's rows, with the errors of cells. */

import { certificates } from "../../../domain/certificates/mod.ts";
import type { PreviewPage, PreviewRow } from "../../../domain/certificates/import_preview/mod.ts";
import { Badge, type Html, type Tone, truncate } from "../../kit/components/mod.ts";
import { columnTitleOf, labelOf } from "../../messages.ts";
import { objectPath } from "../../paths.ts";
import { isAboutCell, messageText, ownMessages } from "./preview_parts.tsx";

/** Maximum characters of a cell. */
const MAX_SEEN = 28;
/** Characters of a fingerprint in the table. */
const SHORT_FINGERPRINT = 12;
/** A table with more rows scrolls below its head. */
const MAX_UNSCROLLED_ROWS = 25;

/** The column by which a row is recognized; it is next to the result of the row. */
const NAME = "common_name";
/** Renders the rows with their cells, without columns that have no values. */
export function PreviewTable({ preview }: { preview: PreviewPage }): Html {
  const { rows } = preview;
  const columns = columnsOf(preview);
  return (
    <div
      class={rows.length > MAX_UNSCROLLED_ROWS ? "table preview long" : "table preview"}
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
              <th scope="row" class="number">{row.place}</th>
              <Result row={row} preview={preview} />
              {columns.map(({ name, index }) => (
                <Cell name={name} cell={row.cells[index] ?? ""} wrong={ownMessages(row, name).length > 0} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface Column {
  readonly name: string;
  readonly index: number;
}

/** Returns the columns with their indexes: the name, those with errors in these rows, and others with values. */
function columnsOf({ columns, rows }: PreviewPage): Column[] {
  const ranks: Column[][] = [[], [], []];
  for (const [index, name] of columns.entries()) {
    const isWrong = rows.some((row) => ownMessages(row, name).length > 0);
    const isEmpty = rows.every(({ cells }) => (cells[index] ?? "").trim() === "");
    ranks[name === NAME ? 0 : isWrong ? 1 : isEmpty ? 3 : 2]?.push({ name, index });
  }
  return ranks.flat();
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

/** Returns the text of a row's badge. */
function wordOf({ status, messages }: PreviewRow, { confirmed }: PreviewPage): readonly [string, Tone] {
  const [word, tone] = STATUS[status];
  if (confirmed !== null) return [DONE[status] ?? word, tone];
  if (messages.some(({ code }) => code === "known_from_list")) return ["new, from a list", tone];
  return [messages.some(({ code }) => code === "duplicate_in_batch") ? "duplicate" : word, tone];
}

/**
 * Renders the result of a row and its messages: here they are in sight, however far the table is scrolled. On a
 * phone, which has no space for the other cells, also the invalid values are shown.
 */
function Result({ row, preview }: { row: PreviewRow; preview: PreviewPage }): Html {
  const [word, tone] = wordOf(row, preview);
  const messages = ownMessages(row, "__all__").filter(({ code }) => code !== "known_from_list");
  const wrong = Map.groupBy(row.messages.filter(isAboutCell), ({ field = "" }) => field);
  const { certificateId: id } = row;
  return (
    <td class="result">
      <Badge value={word} tone={tone} />
      {id !== null && (
        <a href={objectPath(certificates, id)} aria-label={`View the certificate of row ${row.place}`}>
          View
        </a>
      )}
      {messages.length > 0 && (
        <small class={row.status === "error" ? "error" : "faint"}>{messageText(messages)}</small>
      )}
      {[...wrong].map(([name, findings]) => (
        <small class="error">
          <span class="column">{labelOf(name)}:</span>{" "}
          <bdi class="value">{seenText(row.cells[preview.columns.indexOf(name)]) || "empty"}</bdi>
          <br />
          {messageText(findings)}
        </small>
      ))}
    </td>
  );
}

function Cell({ name, cell, wrong }: { name: string; cell: string; wrong: boolean }): Html {
  const isLong = !wrong && name === "fingerprint_sha256" && cell.length > SHORT_FINGERPRINT;
  return (
    <td
      class={name === NAME ? "name" : undefined}
      aria-invalid={wrong ? "true" : undefined}
      title={cell.length > (isLong ? SHORT_FINGERPRINT : MAX_SEEN) ? cell : undefined}
    >
      <bdi>{isLong ? `${cell.slice(0, SHORT_FINGERPRINT).replace(/:$/, "")}…` : seenText(cell)}</bdi>
    </td>
  );
}

/** Returns the text of a cell in the table, in one line. */
export function seenText(cell: string | null | undefined): string {
  return truncate(cell ?? "", MAX_SEEN).trim();
}
