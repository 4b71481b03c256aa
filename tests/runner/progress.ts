/** The progress of a run, from the output of `deno test`. */

/** Result of a test or step: `name ... ok (3ms)`; the name of a test with steps is alone on a line before them. */
const RESULT = / \.\.\.(?: (ok|FAILED|ignored)\b.*)?$/;
const BEGIN = /^running \d+ tests? from /;
/** The heading of the complete failures. */
const SUMMARY = /^ (?:ERRORS|FAILURES) $/;
/** The line at the end of a process. */
const TOTAL = /^ok \| \d+ passed/;

/** Follows the processes of a run. */
export class Progress {
  readonly #files: number;
  #ended = 0;
  #passed = 0;
  #failed = 0;

  constructor({ files }: { readonly files: number }) {
    this.#files = files;
  }

  /**
   * Returns a reader of the output of one process. It gets a line and returns what should be shown: failures and the
   * output of tests.
   */
  reader(): (line: string) => string | undefined {
    let atEnd = false;
    return (line) => {
      if (SUMMARY.test(line)) atEnd = true;
      if (atEnd) return line;
      const result = RESULT.exec(line);
      if (result?.[1] === "ok") this.#passed++;
      if (result?.[1] === "FAILED") {
        this.#failed++;
        return line;
      }
      return result === null && line !== "" && !BEGIN.test(line) &&
          !TOTAL.test(line)
        ? line
        : undefined;
    };
  }

  /** Counts the files of a process that has ended. */
  end(files: number): void {
    this.#ended += files;
  }

  /** Returns the number of files that have ended, and the results so far. */
  text(): string {
    const failed = this.#failed === 0 ? "" : `, ${this.#failed} failed`;
    return `${this.#ended} of ${this.#files} files, ${this.#passed} passed${failed}`;
  }
}

/** Formats a duration: `42 s`, `3 min 5 s`. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
