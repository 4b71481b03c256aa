import assert from "node:assert/strict";
import { createLineEditor, type EnteredLine } from "../../src/cli/password.ts";

const encoder = new TextEncoder();

const TABLE: readonly { title: string; keys: string; typed: EnteredLine }[] = [
  { title: "Enter ends a line", keys: "secret\r", typed: { line: "secret" } },
  { title: "a line feed ends a line", keys: "secret\n", typed: { line: "secret" } },
  { title: "Ctrl-D ends a line", keys: "secret\x04", typed: { line: "secret" } },
  { title: "an empty line is a line", keys: "\r", typed: { line: "" } },
  { title: "text without a line end is not a line", keys: "secret", typed: undefined },
  { title: "Backspace deletes one character", keys: "ab\x7fc\bd\r", typed: { line: "ad" } },
  { title: "Backspace deletes a whole character", keys: "a😀\x7fb\r", typed: { line: "ab" } },
  { title: "Backspace on nothing does nothing", keys: "\x7f\x7fa\r", typed: { line: "a" } },
  { title: "Ctrl-U clears the line", keys: "wrong\x15right\r", typed: { line: "right" } },
  { title: "Ctrl-C cancels", keys: "sec\x03ret\r", typed: "cancelled" },
  {
    title: "cursor keys and other control characters are dropped",
    keys: "a\x1b[D\x1b[1;5C\x1bOPb\x00\tc\r",
    typed: { line: "abc" },
  },
  { title: "letters of all scripts are kept", keys: "pässwörd 密码\r", typed: { line: "pässwörd 密码" } },
];

for (const { title, keys, typed } of TABLE) {
  Deno.test(`on the terminal, ${title}`, () => {
    assert.deepEqual(createLineEditor().feed(encoder.encode(keys)), typed);
  });
}

Deno.test("a line may arrive byte by byte", () => {
  const editor = createLineEditor();
  const results = [...encoder.encode("pä\r")].map((byte) => editor.feed(Uint8Array.of(byte)));
  assert.deepEqual(results, [undefined, undefined, undefined, { line: "pä" }]);
});

Deno.test("text that was typed ahead is the next line", () => {
  const editor = createLineEditor();
  assert.deepEqual(editor.feed(encoder.encode("one\rtwo\r")), { line: "one" });
  assert.deepEqual(editor.feed(new Uint8Array()), { line: "two" });
  assert.deepEqual(editor.feed(new Uint8Array()), undefined);
});

Deno.test("the end of the input ends the line", () => {
  assert.deepEqual(createLineEditor().feed(encoder.encode("half"), { ended: true }), { line: "half" });
});
