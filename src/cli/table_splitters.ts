/** Splits the text of a table into rows, chunk by chunk, so that tables of any size can be imported. */

import { isPreamble } from "../base/spellings/tables.ts";
import { CommandError } from "./failure.ts";

/** An error of a table that cannot be imported. Other files still can. */
export class TableError extends CommandError {}

/** Formats of tables and PEM bundles that are imported in batches. */
export type TableFormat = "csv" | "json" | "yaml" | "pem";

/** Splits a text that arrives in chunks. */
export interface Splitter {
  /** Text before the rows of each batch. */
  readonly head: string;
  /** Returns the rows that are complete. */
  push(text: string): string[];
  /** Returns the remaining rows, after the last chunk. */
  end(): string[];
  /** Returns a document with rows. */
  join(rows: readonly string[]): string;
}

/** Maximum length of a row: more than a certificate with the longest chain. */
const MAX_ROW_CHARS = 8 * 1024 * 1024;

/** Returns the splitter of a format. */
export function splitterOf(format: TableFormat): Splitter {
  switch (format) {
    case "csv":
      return new CsvSplitter();
    case "json":
      return new JsonSplitter();
    case "yaml":
      return new LineSplitter(/^- /);
    case "pem":
      return new LineSplitter(/^# (?:Common name|Certificate): |^-----BEGIN /, joinsHeading);
  }
}

/**
 * Returns whether a block belongs to the comment before it: only the first block after a comment does, the
 * others are its chain.
 */
function joinsHeading(rows: readonly string[], line: string): boolean {
  return line.startsWith("-----BEGIN ") && /^# (?:Common name|Certificate): /m.test(rows.join(""));
}

function requireSize(length: number): void {
  if (length > MAX_ROW_CHARS) {
    throw new TableError(`A row has more than ${MAX_ROW_CHARS} characters. Is a quote or bracket missing?`);
  }
}

/** Splits CSV: rows end at a line break outside quotes. The first row is the header of every batch. */
class CsvSplitter implements Splitter {
  head = "";
  #row = "";
  #quoted = false;
  #hasHead = false;
  #held = "";

  push(given: string): string[] {
    const rows: string[] = [];
    // A carriage return at the end may be the first half of a line break.
    const text = (this.#held + given).replace(/\r$/, "");
    this.#held = (this.#held + given).slice(text.length);
    let start = 0;
    for (let at = 0; at < text.length; at++) {
      const char = text[at];
      if (char === '"') this.#quoted = !this.#quoted;
      else if (
        !this.#quoted && (char === "\n" || (char === "\r" && text[at + 1] !== "\n"))
      ) {
        rows.push(...this.#take(this.#row + text.slice(start, at + 1)));
        this.#row = "";
        start = at + 1;
      }
    }
    this.#row += text.slice(start);
    requireSize(this.#row.length);
    return rows;
  }

  end(): string[] {
    const rest = this.#row + this.#held;
    this.#row = "";
    return rest === "" ? [] : this.#take(/[\r\n]$/.test(rest) ? rest : `${rest}\n`);
  }

  join(rows: readonly string[]): string {
    return this.head + rows.join("");
  }

  #take(row: string): string[] {
    if (this.#hasHead) return [row];
    // Blank lines before the header are not rows.
    if (row.trim() === "") return [];
    this.#hasHead = !isPreamble(row);
    this.head += row;
    return [];
  }
}

/** Splits a JSON list, the `results` of a list in an API, or lines with an object each: rows are the objects. */
class JsonSplitter implements Splitter {
  readonly head = "";
  #element = "";
  #depth = 0;
  #text = false;
  #escaped = false;
  #isList = true;

  push(text: string): string[] {
    const rows: string[] = [];
    let start = this.#depth > 0 ? 0 : text.length;
    for (let at = 0; at < text.length; at++) {
      const char = text.charAt(at);
      if (this.#text) {
        if (this.#escaped) this.#escaped = false;
        else if (char === "\\") this.#escaped = true;
        else if (char === '"') this.#text = false;
      } else if (char === '"') this.#text = true;
      else if (char === "[" || char === "{") {
        this.#depth++;
        if (this.#depth === 1) [this.#isList, start] = [char === "[", at + (char === "[" ? 1 : 0)];
      } else if (char === "]" || char === "}") {
        this.#depth--;
        if (this.#depth === 0) {
          rows.push(...this.#take(text.slice(start, char === "}" ? at + 1 : at)));
          start = text.length;
        }
      } else if (char === "," && this.#depth === 1 && this.#isList) {
        rows.push(...this.#take(text.slice(start, at)));
        start = at + 1;
      }
    }
    this.#element += text.slice(start);
    requireSize(this.#element.length);
    return rows;
  }

  end(): string[] {
    if (this.#depth > 0 || this.#text) throw new TableError("The JSON list is not complete.");
    return [];
  }

  join(rows: readonly string[]): string {
    return `[${rows.join(",")}]`;
  }

  #take(text: string): string[] {
    const element = (this.#element + text).trim();
    this.#element = "";
    const list = this.#isList ? undefined : /^\{[^[]*"results"\s*:\s*(\[.*\])\s*\}$/s.exec(element)?.[1];
    if (list !== undefined) return new JsonSplitter().push(list);
    return element === "" ? [] : [element];
  }
}

/** Splits at lines that begin a row. */
class LineSplitter implements Splitter {
  readonly head = "";
  readonly #first: RegExp;
  readonly #continues: (row: readonly string[], line: string) => boolean;
  #lines: string[] = [];
  #chars = 0;
  #rest = "";
  #begun = false;

  constructor(first: RegExp, continues: (row: readonly string[], line: string) => boolean = () => false) {
    this.#first = first;
    this.#continues = continues;
  }

  push(text: string): string[] {
    const lines = (this.#rest + text).split(/(?<=\n)/);
    this.#rest = lines.at(-1)?.endsWith("\n") === true ? "" : lines.pop() ?? "";
    requireSize(this.#rest.length);
    return lines.flatMap((line) => this.#take(line));
  }

  end(): string[] {
    const rows = this.#rest === "" ? [] : this.#take(`${this.#rest}\n`);
    return this.#begun ? [...rows, this.#lines.join("")] : rows;
  }

  join(rows: readonly string[]): string {
    return rows.join("");
  }

  #take(line: string): string[] {
    const begins = this.#first.test(line) && !(this.#begun && this.#continues(this.#lines, line));
    const done = begins && this.#begun ? [this.#lines.join("")] : [];
    if (begins) {
      this.#lines = [];
      this.#chars = 0;
      this.#begun = true;
    }
    // Everything before the first row is a comment.
    if (this.#begun) {
      this.#lines.push(line);
      this.#chars += line.length;
      requireSize(this.#chars);
    }
    return done;
  }
}
