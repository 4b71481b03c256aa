/** The rows with errors: the certificate of each, and its invalid cells, which are corrected in place. */

import {
  type PreviewPage,
  type PreviewRow,
  repeatedKey,
} from "../../../domain/certificates/import_preview/mod.ts";
import { counted, numberText } from "../../../base/amounts.ts";
import { MAX_PREVIEW_CELL_CHARS } from "../../../base/limits.ts";
import { ComboboxScript, type Html, type SelectOption, truncate } from "../../kit/components/mod.ts";
import type { Resource } from "../../../resource/mod.ts";
import { labelOf } from "../../messages.ts";
import {
  CREATABLE,
  suggestionsFor,
  TENANT,
  tenantChoice,
  unknownIn,
  unknownTexts,
  without,
} from "./cell_choices.ts";
import { isAboutCell, messageText, ownMessages } from "./preview_parts.tsx";
import { seenText } from "./preview_table.tsx";

/** Columns by which a row is recognized; it shows the first two valid ones. */
const NAMING = ["common_name", "serial_number", "sans", "fingerprint_sha256", "issuer"];
const SHOWN_NAMES = 2;

/** Renders a button for each column with several names of unknown objects, which creates them all. */
export function CreateAll(
  { preview: { rows, offset }, creatable }: { preview: PreviewPage; creatable: ReadonlySet<Resource> },
): Html {
  return (
    <>
      {[...CREATABLE].map(([column, resource]) => {
        const count = creatable.has(resource) ? unknownIn(rows, column).length : 0;
        return count < 2
          ? null
          : (
            <button type="submit" class="secondary" name={`create_all.0.${column}`} value={String(offset)}>
              Create {counted(count, resource.label, resource.labelPlural)}
            </button>
          );
      })}
    </>
  );
}

/**
 * Renders the values that several rows have, each of which is corrected once for all of them, and then one row per invalid
 * row of the document, without valid cells.
 */
export function Corrections({ preview, tenants, creatable }: {
  preview: PreviewPage;
  /** The types of which the user may create objects. */
  creatable: ReadonlySet<Resource>;
  /** What a tenant's cell can contain; undefined if there are too many. */
  tenants: readonly SelectOption[] | undefined;
}): Html {
  const { rows, confirmed } = preview;
  const editable = confirmed === null;
  const page = { preview, editable, tenants, creatable };
  const wrong = rows.map((row) => ({ row, cells: wrongCells(row, page) }));
  const firsts = new Map(
    wrong.toReversed().flatMap(({ row, cells }) =>
      cells.filter(({ others }) => others > 0).map((one) =>
        [repeatedKey(one.name, one.cell), { row, one }] as const
      )
    ),
  );
  const single = wrong.map(({ row, cells }) => ({ row, cells: cells.filter(({ others }) => others === 0) }))
    .filter(({ row, cells }) => cells.length > 0 || ownMessages(row, "__all__").length > 0);
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
          {[...firsts.values()].reverse().map(({ row, one }) => (
            <tr>
              <th scope="row" class="number">–</th>
              <td class="about">
                {one.cell === "" ? <span class="faint">empty</span> : <bdi>{seenText(one.cell)}</bdi>}
                <bdi class="faint">in {numberText(one.others + 1)} rows</bdi>
              </td>
              <td>
                <ul class="cells-wrong">
                  <li>
                    <WrongCell row={row} {...one} {...page} />
                  </li>
                </ul>
              </td>
            </tr>
          ))}
          {single.map(({ row, cells }) => (
            <tr>
              <th scope="row" class="number">{row.place}</th>
              <td class="about">
                <About row={row} columns={preview.columns} />
              </td>
              <td>
                <WrongCells row={row} cells={cells} {...page} />
                {editable && (
                  <button type="submit" class="secondary small" name={`drop.${row.place}.row`} value="1">
                    Leave out this row
                  </button>
                )}
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
  // The name of a duplicate is not wrong.
  const isRight = ({ code }: PreviewRow["messages"][number]): boolean =>
    code === "duplicate_in_batch" || code === "already_exists";
  const names = NAMING.filter((name) => ownMessages(row, name).every(isRight))
    .flatMap((name) => row.cells[columns.indexOf(name)] ?? []).filter((text) => text.trim() !== "");
  if (names.length === 0) return <span class="faint">–</span>;
  return (
    <>
      {names.slice(0, SHOWN_NAMES).map((cell, index) => (
        <bdi class={index === 0 ? undefined : "faint"}>{seenText(cell)}</bdi>
      ))}
    </>
  );
}

/** What the page of corrections shows. */
interface Page {
  readonly preview: PreviewPage;
  readonly editable: boolean;
  readonly tenants: readonly SelectOption[] | undefined;
  readonly creatable: ReadonlySet<Resource>;
}

/** A cell with errors. */
interface Wrong {
  readonly name: string;
  readonly cell: string;
  /** Number of other rows with the same invalid text. */
  readonly others: number;
}

/** Renders the errors of the whole row, then each invalid cell with its message. */
function WrongCells({ row, cells, ...page }: Page & { row: PreviewRow; cells: readonly Wrong[] }): Html {
  const general = ownMessages(row, "__all__");
  return (
    <>
      {general.length > 0 && <small class="error">{messageText(general)}</small>}
      {cells.length > 0 && (
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

function wrongCells(row: PreviewRow, { preview: { columns, repeated }, editable }: Page): Wrong[] {
  const names = new Set(row.messages.filter(isAboutCell).map(({ field = "" }) => field));
  return [...names].map((name) => {
    const cell = row.cells[columns.indexOf(name)] ?? "";
    // A text that is longer than what is shown cannot be corrected here.
    const isGroup = editable && cell.length <= MAX_PREVIEW_CELL_CHARS;
    return { name, cell, others: isGroup ? (repeated.get(repeatedKey(name, cell)) ?? 1) - 1 : 0 };
  });
}

function WrongCell(
  { row, name, cell: text, others, editable, preview, tenants, creatable }: Page & Wrong & {
    row: PreviewRow;
  },
): Html {
  const messages = ownMessages(row, name);
  const message = messageText(messages);
  const isWhole = text.length <= MAX_PREVIEW_CELL_CHARS;
  if (!editable || !isWhole || !preview.columns.includes(name)) {
    return (
      <>
        <span class="label">{labelOf(name)}</span>
        {text === "" ? <span class="faint">empty</span> : <bdi>{truncate(text, MAX_VALUE)}</bdi>}
        {message !== "" && <small class="error">{message}</small>}
      </>
    );
  }
  const control = `cell.${row.place}.${name}`;
  const { options, suggest } = name === TENANT ? tenantChoice(tenants, text) : {};
  const named = { id: control, name: control };
  const described = {
    "aria-label": `${labelOf(name)} in ${others > 0 ? `${numberText(others + 1)} rows` : `row ${row.place}`}`,
    "aria-invalid": message === "" ? undefined : "true" as const,
    "aria-describedby": message === "" ? undefined : `${control}-error`,
  };
  const suggestions = suggestionsFor(name, text, messages);
  const unknown = unknownTexts(messages);
  const added = CREATABLE.get(name);
  const isNew = added !== undefined && creatable.has(added);
  const isOptional = unknown.length > 0 && text !== "";
  return (
    <>
      <label for={control}>{labelOf(name)}</label>
      {options === undefined
        ? (
          <input
            {...named}
            value={text}
            {...described}
            autocomplete={suggest && "off"}
            data-suggest={suggest}
          />
        )
        : (
          <select {...named} {...described}>
            {options.map(([value, label]) => <option value={value} selected={value === text}>{label}
            </option>)}
          </select>
        )}
      {suggest !== undefined && <ComboboxScript />}
      {message !== "" && <small class="error" id={`${control}-error`}>{message}</small>}
      {(suggestions.length > 0 || isOptional) && (
        <span class="suggestions">
          {suggestions.map((one) => (
            <button type="submit" class="secondary small" name={`use.${row.place}.${name}`} value={one}>
              Use {truncate(one, MAX_VALUE)}
            </button>
          ))}
          {isNew &&
            unknown.map((one) => (
              <button type="submit" class="secondary small" name={`create.${row.place}.${name}`} value={one}>
                Create {added.label} {truncate(one, MAX_VALUE)}
              </button>
            ))}
          {isOptional && unknown.map((one) => (
            <button
              type="submit"
              class="secondary small"
              name={`use.${row.place}.${name}`}
              value={without(text, one)}
            >
              Leave out {truncate(one, MAX_VALUE)}
            </button>
          ))}
        </span>
      )}
      {others > 0 && <input type="hidden" name={`repeat.${row.place}.${name}`} value="true" />}
    </>
  );
}

/** Characters of a value that is not corrected here. */
const MAX_VALUE = 60;
