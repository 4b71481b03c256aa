/** Reads rows from YAML: a list of maps, as exports write it. */

import { parseDocument, type ScalarTag } from "yaml";
import { MAX_PEM_TEXT_BYTES } from "../base/limits.ts";
import { readObjectList, syntax } from "./read_json.ts";
import type { RowFinding, Table, TableOptions } from "./table.ts";
import { yamlItems } from "./yaml.ts";

/**
 * Maximum numbers of values and lines of a row. A certificate with its chain has fewer, and they are read in
 * milliseconds.
 */
const MAX_YAML_ITEM_NODES = 5_000;
const MAX_YAML_ITEM_LINES = 40_000;
/** Maximum length of a row: a chain of the maximum size, indented, and the other fields. */
const MAX_YAML_ITEM_CHARS = MAX_PEM_TEXT_BYTES + 256 * 1024;

/**
 * Reads the maps of a YAML list in slices, one item at a time, so that a long document does not delay other
 * requests. An unquoted text is a number, true, false or null only if all readers of YAML 1.1 and 1.2 agree:
 * `1e10` may be a serial number. Never throws.
 */
export function* readingYaml(text: string, options: TableOptions): Generator<void, Table<unknown>> {
  const items = yamlItems(text, options.maxRows + 1);
  if (items === undefined) {
    return { rows: [], findings: [syntax("Expected a YAML list of maps.")], named: [] };
  }
  const objects: unknown[] = [];
  const findings: RowFinding[] = [];
  for (const item of items) {
    yield;
    const row = objects.length + 1;
    const read = row > options.maxRows ? { value: {} } : readItem(item);
    if ("fault" in read) findings.push(syntax(read.fault, row));
    objects.push("fault" in read ? {} : read.value);
  }
  const { rows, findings: others, named } = readObjectList(objects, options);
  const broken = new Set(findings.map(({ row }) => row));
  return { rows: rows.filter(({ row }) => !broken.has(row)), findings: [...findings, ...others], named };
}

function readItem(text: string): { value: unknown } | { fault: string } {
  // These would make the library slow. A real row has far fewer.
  if (text.length > MAX_YAML_ITEM_CHARS) {
    return { fault: `The row has more than ${MAX_YAML_ITEM_CHARS} characters.` };
  }
  if (hasMore(text, /[[{?]|- |: |:[\r\n]/g, MAX_YAML_ITEM_NODES)) {
    return { fault: `The row has more than ${MAX_YAML_ITEM_NODES} values.` };
  }
  if (hasMore(text, /\r\n?|\n/g, MAX_YAML_ITEM_LINES)) {
    return { fault: `The row has more than ${MAX_YAML_ITEM_LINES} lines.` };
  }
  try {
    const document = parseDocument(text.replaceAll(/\r\n?/g, "\n"), {
      schema: "failsafe",
      customTags: (tags) => [...tags, ...SCALARS],
      logLevel: "silent",
      prettyErrors: false,
    });
    const [error] = document.errors;
    if (error !== undefined) return { fault: `The row is not valid YAML (${error.code}).` };
    const value: unknown = document.toJS({ maxAliasCount: 0 });
    return { value: Array.isArray(value) ? value[0] : value };
  } catch {
    return { fault: "The row is not valid YAML. Anchors and aliases are not supported." };
  }
}

/** Returns whether a text has more than `max` matches, and searches no more than these. */
function hasMore(text: string, pattern: RegExp, max: number): boolean {
  let count = 0;
  for (const _ of text.matchAll(pattern)) if (++count > max) return true;
  return false;
}

/** Unquoted values that are not texts. */
const SCALARS: ScalarTag[] = [
  { tag: "tag:yaml.org,2002:null", default: true, test: /^(?:~|null)?$/, resolve: () => null },
  {
    tag: "tag:yaml.org,2002:bool",
    default: true,
    test: /^(?:true|false)$/,
    resolve: (text) => text === "true",
  },
  { tag: "tag:yaml.org,2002:int", default: true, test: /^-?(?:0|[1-9]\d{0,14})$/, resolve: Number },
  { tag: "tag:yaml.org,2002:float", default: true, test: /^-?\d{1,15}\.\d{1,15}$/, resolve: Number },
];
