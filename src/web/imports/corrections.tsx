/** The rows with errors: the certificate of each, and its invalid cells, which are corrected in place. */

import {
  isTable,
  type PreviewCell,
  type PreviewPage,
  type PreviewRow,
} from "../../domain/certificates/import_preview/mod.ts";
import { type Html, truncate } from "../components/mod.ts";
import { labelOf } from "../messages.ts";
import { previewPath } from "./paths.ts";
import { cellName, messageText, ownMessages, seenText } from "./preview_table.tsx";

/** Columns by which a row is recognized; it shows the first two valid ones. */
const NAMING = ["common_name", "serial_number", "sans", "fingerprint_sha256", "issuer"];
const SHOWN_NAMES = 2;

/** Renders one row per invalid row of the document, without valid cells. */
export function Corrections({ preview }: { preview: PreviewPage }): Html {
  const { rows, key, confirmed } = preview;
  const editable = confirmed === null && isTable(preview);
  return (
    <div class="table preview corrections" role="region" aria-label="Rows with errors" tabindex={0}>
      <table>
        <caption class="hidden">Rows with errors, and what is wrong in them</caption>
        <thead>
          <tr>
            <th scope="col" class="number">Row</th>
            <th scope="col">Certificate</th>
            <th scope="col">{editable ? "To correct" : "Errors"}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              <th scope="row" class="number">
                <a href={`${previewPath(key)}rows/${row.place}/`} aria-label={`Row ${row.place}`}>
                  {row.place}
                </a>
              </th>
              <td class="about">
                <About row={row} columns={preview.columns} />
              </td>
              <td>
                <Wrong row={row} columns={preview.columns} editable={editable} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Renders the certificate of a row by valid cells. */
function About({ row, columns }: { row: PreviewRow; columns: readonly string[] }): Html {
  const names = NAMING.filter((name) => ownMessages(row, name).length === 0)
    .flatMap((name) => cellOf(row, columns, name) ?? []).slice(0, SHOWN_NAMES);
  if (names.length === 0) return <span class="faint">–</span>;
  return (
    <>
      {names.map((cell, index) => <bdi class={index === 0 ? undefined : "faint"}>{seenText(cell)}</bdi>)}
    </>
  );
}

function cellOf(row: PreviewRow, columns: readonly string[], name: string): PreviewCell {
  const cell = row.cells[columns.indexOf(name)] ?? null;
  return cell === null || cell.text.trim() === "" ? null : cell;
}

/** Renders the errors of the whole row, then each invalid cell with its message. */
function Wrong(
  { row, columns, editable }: { row: PreviewRow; columns: readonly string[]; editable: boolean },
): Html {
  const general = ownMessages(row, "__all__");
  const names = Object.keys(row.messages).filter((name) => name !== "__all__");
  return (
    <>
      {general.length === 0 ? null : <small class="error">{messageText(general)}</small>}
      {names.length === 0 ? null : (
        <ul class="cells-wrong">
          {names.map((name) => (
            <li>
              <WrongCell
                row={row}
                name={name}
                cell={row.cells[columns.indexOf(name)] ?? null}
                editable={editable && columns.includes(name)}
              />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function WrongCell(
  { row, name, cell, editable }: { row: PreviewRow; name: string; cell: PreviewCell; editable: boolean },
): Html {
  const control = cellName(row.place, name);
  const message = messageText(ownMessages(row, name));
  // The page of the row has the complete text of a long cell.
  const isWhole = cell === null || cell.length === cell.text.length;
  if (editable && isWhole) {
    return (
      <>
        <label for={control}>{labelOf(name)}</label>
        <input
          id={control}
          name={control}
          value={cell?.text ?? ""}
          aria-label={`${labelOf(name)} in row ${row.place}`}
          aria-invalid="true"
          aria-describedby={`${control}-error`}
        />
        <small class="error" id={`${control}-error`}>{message}</small>
      </>
    );
  }
  return (
    <>
      <span class="label">{labelOf(name)}</span>
      {cell === null ? <span class="faint">empty</span> : <bdi>{truncate(cell.text, MAX_VALUE)}</bdi>}
      <small class="error">{message}</small>
    </>
  );
}

/** Characters of a value that is not corrected here. */
const MAX_VALUE = 60;
