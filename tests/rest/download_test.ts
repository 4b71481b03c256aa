import assert from "node:assert/strict";
import { disposition, download } from "../../src/base/download.ts";
import { testApp } from "../support/app.ts";

const TABLE: readonly (readonly [fileName: string, plain: string, exact: string])[] = [
  ["www.example.com.pem", "www.example.com.pem", "www.example.com.pem"],
  ["*.example.com.pem", "*.example.com.pem", "%2A.example.com.pem"],
  ["Zürich 😀.pem", "Z_rich___.pem", "Z%C3%BCrich%20%F0%9F%98%80.pem"],
  ['a"; filename="b.exe.pem', "a___filename__b.exe.pem", "a%22%3B%20filename%3D%22b.exe.pem"],
  ["a\r\nSet-Cookie: x=1.pem", "a__Set-Cookie__x_1.pem", "a__Set-Cookie%3A%20x%3D1.pem"],
  ["../../etc/passwd.pem", "_._.._etc_passwd.pem", "_._.._etc_passwd.pem"],
  ["..\\x.pem", "_._x.pem", "_._x.pem"],
  [".hidden.pem", "_hidden.pem", "_hidden.pem"],
  ["\u202egpj.pem", "_gpj.pem", "_gpj.pem"],
  ["half\ud800.pem", "half_.pem", "half_.pem"],
  ["(it's).pem", "_it_s_.pem", "%28it%27s%29.pem"],
];

for (const [fileName, plain, exact] of TABLE) {
  Deno.test(`the header for the file name ${JSON.stringify(fileName)} is safe`, () => {
    assert.equal(disposition(fileName), `attachment; filename="${plain}"; filename*=UTF-8''${exact}`);
    new Headers({ "content-disposition": disposition(fileName) });
  });
}

Deno.test("a long file name keeps its extension and fits a file system", () => {
  for (const letter of ["x", "ü", "😀"]) {
    const [, exact = ""] = /filename\*=UTF-8''(.*)$/.exec(disposition(`${letter.repeat(70_000)}.pem`)) ?? [];
    const name = decodeURIComponent(exact);
    assert(name.endsWith(`${letter}.pem`));
    assert(new TextEncoder().encode(name).length <= 255);
  }
  assert.match(
    disposition(`${"x".repeat(64)}.pem`),
    new RegExp(`"x{64}\\.pem"`),
    "As long as a common name may be",
  );
});

Deno.test("a client that disconnects ends the reading of the document, and no failure is logged", async () => {
  await using app = await testApp();
  let ended = false;
  async function* text(): AsyncGenerator<string> {
    try {
      for (;;) yield await Promise.resolve("text");
    } finally {
      ended = true;
    }
  }
  const response = await download(app.ctx, { mediaType: "text/csv", fileName: "x.csv", text: text() });
  const reader = response.body!.getReader();
  assert.equal(new TextDecoder().decode((await reader.read()).value), "text");
  assert(!ended);
  await reader.cancel();
  await new Promise((done) => setTimeout(done)); // the streams notify each other
  assert(ended);
  assert.deepEqual(app.log, []);
});

Deno.test("a document without text is an empty response", async () => {
  await using app = await testApp();
  const text = ReadableStream.from<string>([]);
  const response = await download(app.ctx, { mediaType: "text/csv", fileName: "x.csv", text });
  assert.deepEqual([response.status, await response.text()], [200, ""]);
});
