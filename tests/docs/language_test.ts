/** Checks that words with a plainer replacement do not occur. */

import assert from "node:assert/strict";

const ROOT = new URL("../../", import.meta.url);
const FOLDERS = ["src", "demo", "docs", "tools", "tests"];
const FILES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"];
const TEXT = /\.(tsx?|js|md)$/;
/** This file contains the words. */
const OWN = "tests/docs/language_test.ts";

/** Words that do not occur, with what to write instead. */
const WORDS: readonly (readonly [words: RegExp, instead: string])[] = [
  [/\bjudge(s|d|ments?)?\b|\bjudging\b/i, "validate, check, evaluate"],
  [/\bverdicts?\b/i, "result, status"],
  [/, want |(?<!=)\b[wW]anted\b(?!\.acme|\.globex)/, "Expected …, or what to do next"],
  [/\b(whoever|whence)\b/i, "anyone who, callers who; from"],
  [/\b(he|his|him|himself)\b/i, "they, the caller, the user"],
  [/\bbeside\b/i, "with, next to, besides"],
  // Not the name of a variable or member.
  [/(?<=[a-z] )(?<!const )told\b/i, "reported, notified, by default"],
  [/\bmend(s|ed)?\b/i, "fix, edit"],
  [/\bpass(ed|es)? over\b/i, "skip"],
  [/\bcourier\b/i, "sender"],
  [/\bis not there\b/i, "is missing, does not exist"],
  [/\bby hand\b/i, "manually"],
  [/\bcase ignored\b/i, "ignoring case"],
  [/\bin good order\b/i, "gracefully"],
  [/\bon their way\b/i, "in flight"],
];

async function* texts(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, ROOT))) {
    const path = `${folder}/${name}`;
    if (isDirectory && name !== "node_modules") yield* texts(path);
    else if (TEXT.test(name) && path !== OWN) yield path;
  }
}

Deno.test("the code, its tests and the documents use plain words", async () => {
  const found: string[] = [];
  const paths = [...FILES];
  for (const folder of FOLDERS) for await (const path of texts(folder)) paths.push(path);
  assert.ok(paths.length > 1000, `${paths.length} files were read`);
  for (const path of paths) {
    const lines = (await Deno.readTextFile(new URL(path, ROOT))).split("\n");
    for (const [index, line] of lines.entries()) {
      for (const [words, instead] of WORDS) {
        const [word] = words.exec(line) ?? [];
        if (word !== undefined) found.push(`${path}:${index + 1} has "${word.trim()}". Write: ${instead}.`);
      }
    }
  }
  assert.deepEqual(found, []);
});
