/** The rows with errors: the certificate of each, and its invalid cells, which are corrected in place. */

import {
  isTable,
  type PreviewCell,
  type PreviewPage,
  type PreviewRow,
  repeatedKey,
} from "../../../domain/certificates/import_preview/mod.ts";
import { numberText } from "../../../base/amounts.ts";
import { nearest } from "../../../base/nearest.ts";
import { type Html, type SelectOption, truncate } from "../../kit/components/mod.ts";
import { labelOf } from "../../messages.ts";
import { messageText, ownMessages } from "./preview_parts.tsx";
import { cellName, rowPath, seenText } from "./preview_table.tsx";
import { TENANT, TenantCell } from "./tenant_field.tsx";

/** Columns by which a row is recognized; it shows the first two valid ones. */
const NAMING = ["common_name", "serial_number", "sans", "fingerprint_sha256", "issuer"];
const SHOWN_NAMES = 2;

/**
 * Renders one row per invalid row of the document, without valid cells. Of equal cells of a column, the first
 * one is corrected for all of them.
 */
export function Corrections({ preview, tenants }: {
  preview: PreviewPage;
  /** What a tenant's cell can contain; undefined if there are too many. */
  tenants: readonly SelectOption[] | undefined;
}): Html {
  const { rows, confirmed } = preview;
  const editable = confirmed === null && isTable(preview);
  const firsts = new Map<string, number>();
  return (
    <div class="table preview corrections">
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
                <a href={rowPath(preview, row)} aria-label={`Row ${row.place}`}>{row.place}</a>
              </th>
              <td class="about">
                <About row={row} columns={preview.columns} />
              </td>
              <td>
                <Wrong row={row} preview={preview} editable={editable} firsts={firsts} tenants={tenants} />
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
function Wrong({ row, preview, editable, firsts, tenants }: {
  row: PreviewRow;
  preview: PreviewPage;
  editable: boolean;
  /** The first row of this page by repeated cell. */
  firsts: Map<string, number>;
  tenants: readonly SelectOption[] | undefined;
}): Html {
  const { columns, repeated } = preview;
  const general = ownMessages(row, "__all__");
  const names = Object.keys(row.messages).filter((name) => name !== "__all__");
  const cells = names.map((name) => {
    const cell = row.cells[columns.indexOf(name)] ?? null;
    const cellKey = repeatedKey(name, cell?.text ?? "");
    const others = (repeated.get(cellKey) ?? 1) - 1;
    const first = others === 0 ? row.place : firsts.get(cellKey) ?? row.place;
    firsts.set(cellKey, first);
    return { name, cell, others, first };
  }).flatMap((one) => {
    // The mistake can be in another column that the message names: "valid_to must not be before valid_from."
    const related = editable ? relatedColumns(row, one.name, columns) : [];
    return [
      ...related.map((name) => ({
        name,
        cell: row.cells[columns.indexOf(name)] ?? null,
        others: 0,
        first: row.place,
      })),
      one,
    ];
  });
  return (
    <>
      {general.length === 0 ? null : <small class="error">{messageText(general)}</small>}
      {names.length === 0 ? null : (
        <ul class="cells-wrong">
          {cells.map((one) => (
            <li>
              {editable && one.first !== row.place
                ? (
                  <>
                    <span class="label">{labelOf(one.name)}</span>
                    <CellText cell={one.cell} />
                    <small class="faint">Corrected with row {one.first}</small>
                  </>
                )
                : (
                  <WrongCell
                    row={row}
                    {...one}
                    editable={editable && columns.includes(one.name)}
                    tenants={tenants}
                  />
                )}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Returns the columns without errors that the messages about a column name. */
function relatedColumns(row: PreviewRow, name: string, columns: readonly string[]): string[] {
  const words = new Set(
    ownMessages(row, name).flatMap((message) => message.match(/\b[a-z]+(?:_[a-z0-9]+)+\b/g) ?? []),
  );
  return columns.filter((one) => one !== name && words.has(one) && ownMessages(row, one).length === 0);
}

function CellText({ cell }: { cell: PreviewCell }): Html {
  return cell === null || cell.text === ""
    ? <span class="faint">empty</span>
    : <bdi>{truncate(cell.text, MAX_VALUE)}</bdi>;
}

function WrongCell({ row, name, cell, others, editable, tenants }: {
  row: PreviewRow;
  name: string;
  cell: PreviewCell;
  /** Number of other rows with the same invalid text. */
  others: number;
  editable: boolean;
  tenants: readonly SelectOption[] | undefined;
}): Html {
  const control = cellName(row.place, name);
  const messages = ownMessages(row, name);
  const message = messageText(messages);
  // The page of the row has the complete text of a long cell.
  const isWhole = cell === null || cell.length === cell.text.length;
  if (!editable || !isWhole) {
    return (
      <>
        <span class="label">{labelOf(name)}</span>
        <CellText cell={cell} />
        {message === "" ? null : <small class="error">{message}</small>}
      </>
    );
  }
  const suggestions = suggestionsFor(cell?.text ?? "", messages);
  const described = {
    "aria-label": `${labelOf(name)} in row ${row.place}`,
    "aria-invalid": message === "" ? undefined : "true",
    "aria-describedby": message === "" ? undefined : `${control}-error`,
  };
  return (
    <>
      <label for={control}>{labelOf(name)}</label>
      {name === TENANT
        ? <TenantCell id={control} name={control} {...described} tenants={tenants} text={cell?.text ?? ""} />
        : <input id={control} name={control} value={cell?.text ?? ""} {...described} />}
      {message === "" ? null : <small class="error" id={`${control}-error`}>{message}</small>}
      {suggestions.length === 0 ? null : (
        <span class="suggestions">
          {suggestions.map((text) => (
            <button type="submit" class="secondary small" name={`use.${row.place}.${name}`} value={text}>
              Use {truncate(text, MAX_VALUE)}
            </button>
          ))}
        </span>
      )}
      {others === 0 ? null : (
        <label class="repeat">
          <input type="checkbox" name={`repeat.${row.place}.${name}`} value="true" checked />
          Also in {others === 1 ? "the other row" : `the ${numberText(others)} other rows`}{" "}
          {(cell?.text ?? "") === "" ? "without a value" : "with this value"}
        </label>
      )}
    </>
  );
}

/** Returns the values that the messages about a cell suggest, or the choice that is similar to its text. */
export function suggestionsFor(text: string, messages: readonly string[]): string[] {
  return messages.flatMap((message) => {
    const meant = /Did you mean (.+)\?$/.exec(message)?.[1];
    if (meant !== undefined) {
      return meant.startsWith('"') ? [replaced(text, message, unquoted(meant))] : meant.split(" or ");
    }
    const choices = /Expected one of (.+?)\.?$/.exec(message)?.[1]?.split(", ");
    return choices === undefined ? [] : nearest(text.trim().toLowerCase(), choices) ?? [];
  });
}

/** Returns a list with `meant` in place of the value that the message quotes; `meant` for a text that is no list. */
function replaced(text: string, message: string, meant: string): string {
  const wrong = unquoted(/"(?:[^"\\]|\\.)*"/.exec(message)?.[0] ?? "");
  const parts = text.split(/([;,])/);
  const isPart = (part: string): boolean => part.trim() === wrong;
  if (parts.length === 1 || !parts.some(isPart)) return meant;
  return parts.map((part) => isPart(part) ? part.replace(wrong, () => meant) : part).join("");
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}

/** Characters of a value that is not corrected here. */
const MAX_VALUE = 60;
