/** How far a lane is, read out of what `deno test` prints about each test. */

/** Result of a test or step: `name ... ok (3ms)`; the name of one with steps stands alone before them. */
const RESULT = / \.\.\.(?: (ok|FAILED|ignored)\b.*)?$/;
/** The file, when files run one after the other and when they run in parallel. */
const FILE = /^(?:running \d+ tests? from (?:\.\/)?(\S+)$|(?:\.\/)?(\S+_test\.ts) => )/;
/** Above the failures in full. */
const SUMMARY = /^ (?:ERRORS|FAILURES) $/;

/** Follows one lane. */
export class Progress {
  readonly #lane: string;
  readonly #files: number;
  readonly #begun = new Set<string>();
  #file = "";
  #passed = 0;
  #failed = 0;
  #atEnd = false;

  constructor(lane: { readonly name: string; readonly files: number }) {
    this.#lane = lane.name;
    this.#files = lane.files;
  }

  /** Takes in a line of `deno test`, and returns whether a person should see it: failures, and what tests print. */
  read(line: string): boolean {
    if (SUMMARY.test(line)) this.#atEnd = true;
    if (this.#atEnd) return true;
    const [, inOrder, inParallel] = FILE.exec(line) ?? [];
    const file = inOrder ?? inParallel;
    if (file !== undefined) {
      this.#begun.add(file);
      this.#file = file;
    }
    const result = RESULT.exec(line);
    if (result?.[1] === "ok") this.#passed++;
    if (result?.[1] === "FAILED") this.#failed++;
    return result?.[1] === "FAILED" || (result === null && inOrder === undefined && line !== "");
  }

  /** Lane, files begun of all, results, time, and the latest file. */
  text(elapsedMs: number): string {
    const failed = this.#failed === 0 ? "" : `, ${this.#failed} failed`;
    const file = this.#file === "" ? "" : `  ${this.#file}`;
    return `${this.#lane}: file ${this.#begun.size} of ${this.#files}, ${this.#passed} passed${failed}, ${
      duration(elapsedMs)
    }${file}`;
  }
}

/** `42 s`, `3 min 5 s`. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
