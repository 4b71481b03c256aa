/**
 * Examples in a document: a request in an `http` block, and its response in a `json` or `text` block below it, in which
 * `…` marks omitted parts.
 */

import assert from "node:assert/strict";

/** A request and the response that the document shows. */
export interface Example {
  /** The nearest heading above. */
  readonly title: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly status: number;
  readonly answer: { readonly language: string; readonly text: string } | undefined;
}

const BLOCK = /^```(\w+)\n([^]*?)^```$/gm;

/** Returns all examples in order. Throws for a block that belongs to no example. */
export function readExamples(document: string): Example[] {
  const examples: Example[] = [];
  for (const match of document.matchAll(BLOCK)) {
    const [, language, text] = match as unknown as [string, string, string];
    const title = document.slice(0, match.index).match(/^#+ .*$/gm)?.at(-1) ?? "";
    if (language === "http") examples.push(readRequest(text, title));
    else if (language === "json" || language === "text") {
      const last = examples.pop();
      assert.ok(
        last !== undefined && last.answer === undefined,
        `An answer without a request below ${title}`,
      );
      examples.push({ ...last, answer: { language, text } });
    } else assert.equal(language, "sh", `A block of ${language} below ${title}`);
  }
  return examples;
}

/** Parses `POST /api/… → 201`, headers, an empty line, the body. Indented lines with `?` or `&` continue the URL. */
function readRequest(text: string, title: string): Example {
  const [head = "", ...rest] = text.trimEnd().split("\n\n");
  const [line = "", ...lines] = head.split("\n");
  const match = /^([A-Z]+) (\S+) → (\d{3})$/.exec(line);
  assert.ok(match !== null, `A request line "${line}" below ${title}`);
  const query = lines.filter((one) => /^ {2,}[?&]/.test(one)).map((one) => one.trim()).join("");
  const headers = lines.filter((one) => !/^ /.test(one)).map((one) => one.split(/: (.*)/s).slice(0, 2));
  return {
    title,
    method: match[1] as string,
    path: `${match[2]}${query}`,
    headers: Object.fromEntries(headers),
    body: rest.length === 0 ? undefined : rest.join("\n\n"),
    status: Number(match[3]),
    answer: undefined,
  };
}

/** Throws unless a value matches the value in the document. */
export function assertShown(actual: unknown, shown: unknown, place = "$"): void {
  if (shown === "…") return;
  if (typeof shown === "string" && shown.endsWith("…")) {
    assert.ok(typeof actual === "string" && actual.startsWith(shown.slice(0, -1)), `${place} is ${actual}`);
  } else if (Array.isArray(shown)) {
    assert.ok(Array.isArray(actual), place);
    const open = shown.at(-1) === "…";
    const expected = open ? shown.slice(0, -1) : shown;
    assert.ok(
      open ? actual.length > expected.length : actual.length === expected.length,
      `${place} has ${actual.length}`,
    );
    expected.forEach((one, index) => assertShown(actual[index], one, `${place}[${index}]`));
  } else if (typeof shown === "object" && shown !== null) {
    assert.ok(typeof actual === "object" && actual !== null, place);
    const { "…": more, ...fields } = shown as Record<string, unknown>;
    for (const [name, value] of Object.entries(fields)) {
      assert.ok(Object.hasOwn(actual, name), `${place}.${name} is missing`);
      assertShown((actual as Record<string, unknown>)[name], value, `${place}.${name}`);
    }
    if (more === undefined) assert.deepEqual(Object.keys(actual).sort(), Object.keys(fields).sort(), place);
  } else assert.deepEqual(actual, shown, place);
}
