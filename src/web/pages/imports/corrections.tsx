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
import { ComboboxScript, type Html, type SelectOption, truncate } from "../../kit/components/mod.ts";
import { labelOf } from "../../messages.ts";
import { messageText, ownMessages } from "./preview_parts.tsx";
import { cellName, rowPath, seenText } from "./preview_table.tsx";
import { TENANT, tenantChoice } from "./tenant_field.tsx";

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
  const page = { preview, editable, firsts: new Map<string, number>(), tenants };
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
                <WrongCells row={row} {...page} />
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

/** What the page of corrections shows. */
interface Page {
  readonly preview: PreviewPage;
  readonly editable: boolean;
  /** The first row of this page by repeated cell. */
  readonly firsts: Map<string, number>;
  readonly tenants: readonly SelectOption[] | undefined;
}

/** A cell with errors, or one that an error names. */
interface Wrong {
  readonly name: string;
  readonly cell: PreviewCell;
  /** Number of other rows with the same invalid text, and the first row that has it. */
  readonly others: number;
  readonly first: number;
}

/** Renders the errors of the whole row, then each invalid cell with its message. */
function WrongCells({ row, ...page }: Page & { row: PreviewRow }): Html {
  const general = ownMessages(row, "__all__");
  const cells = wrongCells(row, page);
  return (
    <>
      {general.length === 0 ? null : <small class="error">{messageText(general)}</small>}
      {cells.length === 0 ? null : (
        <ul class="cells-wrong">
          {cells.map((one) => (
            <li>
              <WrongCell row={row} {...one} {...page} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function wrongCells(row: PreviewRow, { preview: { columns, repeated }, editable, firsts }: Page): Wrong[] {
  const at = (name: string): PreviewCell => row.cells[columns.indexOf(name)] ?? null;
  return Object.keys(row.messages).filter((name) => name !== "__all__").flatMap((name) => {
    const cell = at(name);
    const cellKey = repeatedKey(name, cell?.text ?? "");
    const others = (repeated.get(cellKey) ?? 1) - 1;
    const first = others === 0 ? row.place : firsts.get(cellKey) ?? row.place;
    firsts.set(cellKey, first);
    // The mistake can be in another column that the message names: "valid_to must not be before valid_from."
    const related = editable ? relatedColumns(row, name, columns) : [];
    return [
      ...related.map((other) => ({ name: other, cell: at(other), others: 0, first: row.place })),
      { name, cell, others, first },
    ];
  });
}

/** Returns the columns without errors that the messages about a column name. */
function relatedColumns(row: PreviewRow, name: string, columns: readonly string[]): string[] {
  const words = new Set(
    ownMessages(row, name).flatMap((message) => message.match(/\b[a-z]+(?:_[a-z0-9]+)+\b/g) ?? []),
  );
  return columns.filter((one) => one !== name && words.has(one) && ownMessages(row, one).length === 0);
}

function WrongCell(
  { row, name, cell, others, first, editable, preview, tenants }: Page & Wrong & { row: PreviewRow },
): Html {
  const text = cell?.text ?? "";
  const messages = ownMessages(row, name);
  const message = messageText(messages);
  const isRepeated = editable && first !== row.place;
  // The page of the row has the complete text of a long cell.
  const isWhole = cell === null || cell.length === text.length;
  if (isRepeated || !editable || !isWhole || !preview.columns.includes(name)) {
    return (
      <>
        <span class="label">{labelOf(name)}</span>
        {text === "" ? <span class="faint">empty</span> : <bdi>{truncate(text, MAX_VALUE)}</bdi>}
        {isRepeated
          ? <small class="faint">Corrected with row {first}</small>
          : message === ""
          ? null
          : <small class="error">{message}</small>}
      </>
    );
  }
  const control = cellName(row.place, name);
  const { options, suggest } = name === TENANT ? tenantChoice(tenants, text) : {};
  const described = {
    "aria-label": `${labelOf(name)} in row ${row.place}`,
    "aria-invalid": message === "" ? undefined : "true" as const,
    "aria-describedby": message === "" ? undefined : `${control}-error`,
  };
  const suggestions = suggestionsFor(text, messages);
  return (
    <>
      <label for={control}>{labelOf(name)}</label>
      {options === undefined
        ? (
          <input
            id={control}
            name={control}
            value={text}
            {...described}
            autocomplete={suggest === undefined ? undefined : "off"}
            data-suggest={suggest}
          />
        )
        : (
          <select id={control} name={control} {...described}>
            {options.map(([value, label]) => <option value={value} selected={value === text}>{label}
            </option>)}
          </select>
        )}
      {suggest === undefined ? null : <ComboboxScript />}
      {message === "" ? null : <small class="error" id={`${control}-error`}>{message}</small>}
      {suggestions.length === 0 ? null : (
        <span class="suggestions">
          {suggestions.map((one) => (
            <button type="submit" class="secondary small" name={`use.${row.place}.${name}`} value={one}>
              Use {truncate(one, MAX_VALUE)}
            </button>
          ))}
        </span>
      )}
      {others === 0 ? null : (
        <label class="repeat">
          <input type="checkbox" name={`repeat.${row.place}.${name}`} value="true" checked />
          Also in {others === 1 ? "the other row" : `the ${numberText(others)} other rows`}{" "}
          {text === "" ? "without a value" : "with this value"}
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
