/** The progress of a lane, from the output of `deno test`. */

/** Result of a test or step: `name ... ok (3ms)`; the name of a test with steps is alone on a line before them. */
const RESULT = / \.\.\.(?: (ok|FAILED|ignored)\b.*)?$/;
const FILE = /^running \d+ tests? from (?:\.\/)?(\S+)$/;
/** The heading of the complete failures. */
const SUMMARY = /^ (?:ERRORS|FAILURES) $/;
/** The line at the end of a process. */
const TOTAL = /^ok \| \d+ passed/;

/** Follows one lane. */
export class Progress {
  readonly #lane: string;
  readonly #files: number;
  readonly #begun = new Set<string>();
  #file = "";
  #passed = 0;
  #failed = 0;

  constructor(lane: { readonly name: string; readonly files: number }) {
    this.#lane = lane.name;
    this.#files = lane.files;
  }

  /**
   * Returns a reader of the output of one process of the lane. It gets a line and returns what should be shown:
   * failures and the output of tests.
   */
  reader(): (line: string) => string | undefined {
    let file = "";
    let atEnd = false;
    return (line) => {
      if (SUMMARY.test(line)) atEnd = true;
      if (atEnd) return line;
      const [, named] = FILE.exec(line) ?? [];
      if (named !== undefined) {
        this.#begun.add(named);
        this.#file = file = named;
        return undefined;
      }
      const result = RESULT.exec(line);
      if (result?.[1] === "ok") this.#passed++;
      if (result?.[1] === "FAILED") {
        this.#failed++;
        return `${file} => ${line}`;
      }
      return result === null && line !== "" && !TOTAL.test(line) ? line : undefined;
    };
  }

  /** Returns lane, number of started files, results, and the latest file. */
  text(): string {
    const failed = this.#failed === 0 ? "" : `, ${this.#failed} failed`;
    const file = this.#file === "" ? "" : ` (${this.#file})`;
    return `${this.#lane}: file ${this.#begun.size} of ${this.#files}, ${this.#passed} passed${failed}${file}`;
  }
}

/** Formats a duration: `42 s`, `3 min 5 s`. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
