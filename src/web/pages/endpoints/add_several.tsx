/** Adds several endpoints: a pasted list or table, or a file of one, is previewed row by row, and then stored. */

import { counted, numberText } from "../../../base/amounts.ts";
import { forbidden, invalid } from "../../../base/errors.ts";
import {
  type EndpointRow,
  importEndpointRows,
} from "../../../domain/endpoints/importing/import_endpoints.ts";
import { ENDPOINT_COLUMNS, endpointColumn } from "../../../domain/endpoints/importing/read_document.ts";
import { endpoints } from "../../../domain/endpoints/mod.ts";
import { readTableText } from "../../../formats/mod.ts";
import type { Call, Route } from "../../call.ts";
import { textOf } from "../../forms.ts";
import { Badge, FileField, type Html, Joined, Table, TextArea } from "../../kit/components/mod.ts";
import { formPage, may, orAgain } from "../../kit/mod.ts";
import { labelOf } from "../../messages.ts";
import { listPath } from "../../paths.ts";
import { done } from "../../responses.ts";
import { Counts, expectedParts, filesOf, sentencesOf } from "../imports/mod.ts";

const PATH = `${listPath(endpoints)}import/`;

export const addSeveralRoutes: readonly Route[] = [
  { method: "GET", path: PATH, handle: (call) => pastePage(call) },
  { method: "POST", path: PATH, handle: addPasted },
];

const FIELD = "names";
const FILE = "file";
/** Maximum bytes of a file, and characters of its text: those of a pasted text. */
const MAX_BYTES = 1_048_576;
/** Maximum number of ids in the URL of the list; those of more endpoints follow one another. */
const MAX_NAMED = 50;

const PAGE = {
  title: "Add several endpoints",
  above: [["Endpoints", listPath(endpoints)]],
  action: PATH,
  back: listPath(endpoints),
} as const;

/** Renders the form. */
function pastePage(call: Call, given = "", errors: Readonly<Record<string, string[]>> = {}): Response {
  if (!may(call, endpoints, "add")) throw forbidden();
  return formPage(
    call,
    { ...PAGE, files: true, errors, shown: [FIELD, FILE], submit: "Preview" },
    <>
      <TextArea
        name={FIELD}
        label="Hosts"
        value={given}
        rows={12}
        errors={errors}
        help="One on each line: a host, with an optional port and protocol, such as www.example.com, 10.0.0.5:8443 or mail.example.com:25/smtp. Or a table whose headings name its columns."
      />
      <FileField
        name={FILE}
        label="Or a file"
        help="A list, CSV, or an Excel workbook (.xlsx)."
        errors={errors}
      />
      <details>
        <summary>Columns of a table</summary>
        <p>
          {ENDPOINT_COLUMNS.map(labelOf).join(", ")}, or their names in the API:{" "}
          <Joined items={ENDPOINT_COLUMNS.map((name) => <code>{name}</code>)} />. Only the host is required.
        </p>
      </details>
    </>,
  );
}

/** Shows what becomes of each row; stores the rows without errors when the user confirms that. */
async function addPasted(call: Call): Promise<Response> {
  if (!may(call, endpoints, "add")) throw forbidden();
  const { ctx, form } = call;
  let content = textOf(form, FIELD);
  return await orAgain(
    async () => {
      content = await contentOf(form);
      if (form.has("edit")) return pastePage(call, content);
      const dry_run = !form.has("confirm");
      const { rows } = await importEndpointRows({ ctx, input: { content, dry_run } });
      if (dry_run) return previewPage(call, content, rows);
      const ids = rows.flatMap(({ id }) => id ?? []);
      return done(call, addedPath(ids), addedText(rows));
    },
    ({ content: wrong, ...errors }) =>
      pastePage(call, content, wrong === undefined ? errors : { ...errors, [FIELD]: wrong }),
  );
}

/** Returns the text, or that of the file. Errors: invalid (`names` or `file`). */
async function contentOf(form: FormData): Promise<string> {
  const [file] = filesOf(form, FILE);
  const text = textOf(form, FIELD);
  if (file === undefined) return text;
  if (text.trim() !== "") {
    throw invalid([{ code: "text_or_file", params: { files: "a file" }, field: FIELD }]);
  }
  const read = file.size > MAX_BYTES
    ? {
      code: "unexpected" as const,
      params: { expected: `a file of at most ${MAX_BYTES} bytes`, value: file.size },
    }
    : await readTableText(await file.bytes(), {
      columns: ENDPOINT_COLUMNS,
      columnOf: endpointColumn,
      maxChars: MAX_BYTES,
    });
  if ("code" in read) throw invalid([{ ...read, field: FILE }]);
  return read.text;
}

/** Returns the path of the list of exactly these endpoints. */
function addedPath(ids: readonly number[]): string {
  if (ids.length === 0) return listPath(endpoints);
  if (ids.length > MAX_NAMED) {
    return `${listPath(endpoints)}?id__gte=${Math.min(...ids)}&id__lte=${Math.max(...ids)}`;
  }
  return `${listPath(endpoints)}?${new URLSearchParams(ids.map((id) => ["id", String(id)]))}`;
}

function countOf(rows: readonly EndpointRow[], status: EndpointRow["status"]): number {
  return rows.filter((row) => row.status === status).length;
}

function addedText(rows: readonly EndpointRow[]): string {
  const [skipped, wrong] = [countOf(rows, "skip"), countOf(rows, "error")];
  const left = wrong === 0 ? "" : ` ${counted(wrong, "row")} with errors left out.`;
  return `${counted(countOf(rows, "create"), "endpoint")} added.${
    skipped === 0 ? "" : ` ${skipped} existed already.`
  }${left}`;
}

const RESULTS = { create: ["new", "good"], skip: ["exists", "info"], error: ["error", "bad"] } as const;
/** Maximum number of rows that are shown: those with errors first. */
const MAX_SHOWN = 200;

/** Renders the expected result of each row. */
function previewPage(call: Call, content: string, rows: readonly EndpointRow[]): Response {
  const created = countOf(rows, "create");
  const counts = { create: created, skip: countOf(rows, "skip"), error: countOf(rows, "error") };
  const shown = [...rows].sort((a, b) =>
    Number(b.status === "error") - Number(a.status === "error") || a.place - b.place
  )
    .slice(0, MAX_SHOWN).map((row) => ({ ...row, id: row.place }));
  const edit = (
    <button type="submit" name="edit" value="1" class={created > 0 ? "secondary" : undefined}>Edit</button>
  );
  return formPage(
    call,
    {
      ...PAGE,
      hidden: { [FIELD]: content },
      submit: created === 0 ? edit : (
        <>
          <button type="submit" name="confirm" value="1">
            {counts.error > 0 ? `Add the ${numberText(created)} good` : `Add ${numberText(created)}`}{" "}
            {created === 1 ? "endpoint" : "endpoints"}
          </button>
          {edit}
        </>
      ),
    },
    <>
      <p class="counts">
        <Counts parts={expectedParts(counts)} />
      </p>
      {rows.length > MAX_SHOWN && (
        <p class="faint">The first {MAX_SHOWN} of {numberText(rows.length)} rows.</p>
      )}
      <Table
        caption="Rows and their results"
        rows={shown}
        columns={[
          { label: "Line", cell: ({ place }) => String(place) },
          { label: "Endpoint", cell: ({ name }) => <bdi>{name}</bdi> },
          { label: "Result", cell: (row) => <Result row={row} /> },
        ]}
      />
    </>,
  );
}

function Result({ row: { status, errors } }: { row: EndpointRow }): Html {
  const [word, tone] = RESULTS[status];
  return (
    <>
      <Badge value={word} tone={tone} /> {errors.map((one) => (
        <small class="error">
          {["host", "__all__", undefined].includes(one.field) ? "" : `${labelOf(one.field ?? "")}: `}
          {sentencesOf([one])}
        </small>
      ))}
    </>
  );
}
