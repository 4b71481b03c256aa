import assert from "node:assert/strict";
import { EXPORT_CHUNK_CHARS } from "../../src/formats/stream.ts";
import { type ExportRow, FORMATS, writeDocument } from "../../src/formats/mod.ts";
import { TestCa } from "../support/test_ca/mod.ts";
import { pagesOf } from "./support.ts";

const leaf = await (await TestCa.root()).issue({ cn: "www.example.com" });
const FIELDS = ["id", "common_name", "serial_number", "valid_to", "sans", "pem_content"];

function row(id: number): ExportRow {
  return {
    id,
    common_name: `host-${id}.example.com`,
    serial_number: "0A:1B:2C",
    valid_to: "2026-10-31T23:59:59",
    sans: [`host-${id}.example.com`, `=alt, "${id}"`],
    pem_content: leaf.pem,
  };
}

/** Yields rows that are generated on demand. */
async function* manyRows(count: number): AsyncGenerator<ExportRow[]> {
  for (let from = 0; from < count; from += 500) {
    yield await Promise.resolve(
      Array.from({ length: Math.min(500, count - from) }, (_, index) => row(from + index)),
    );
  }
}

const names = Object.keys(FORMATS) as (keyof typeof FORMATS)[];

/** Rows that a format writes in about two seconds; certificates are decoded. */
const ROWS = { csv: 200_000, json: 200_000, yaml: 200_000, pem: 40_000 };
const MAX_GROWTH = 64 * 1024 * 1024;

function collectGarbage(): void {
  const { gc } = globalThis as { gc?: () => void };
  assert(gc, "This test is run with --v8-flags=--expose-gc, as its lane does");
  gc();
}

for (const name of names) {
  Deno.test(`${name}: memory does not grow with the rows`, async () => {
    const { writer } = FORMATS[name];
    // Memory between two collections includes garbage, also of other tests. So garbage is collected before each of 16
    // samples, and the minimum of each half is compared.
    const least = [Infinity, Infinity];
    let [size, rows, sampled] = [0, 0, 0];
    async function* counted(): AsyncGenerator<ExportRow[]> {
      for await (const page of manyRows(ROWS[name])) {
        rows += page.length;
        yield page;
      }
    }
    for await (const chunk of writeDocument(writer(FIELDS), counted())) {
      size += chunk.length;
      if (rows < sampled + ROWS[name] / 16) continue;
      sampled = rows;
      collectGarbage();
      const half = rows <= ROWS[name] / 2 ? 0 : 1;
      least[half] = Math.min(least[half]!, Deno.memoryUsage().heapUsed);
    }
    const growth = least[1]! - least[0]!;
    assert(growth < Math.min(MAX_GROWTH, size / 4), `Holds ${growth} bytes more, of a document of ${size}`);
  });

  Deno.test(`${name}: the text is written in chunks of a sensible size`, async () => {
    const chunks = await Array.fromAsync(writeDocument(FORMATS[name].writer(FIELDS), manyRows(2_000)));
    assert(chunks.length > 10);
    for (const chunk of chunks.slice(0, -1)) {
      assert(chunk.length >= EXPORT_CHUNK_CHARS && chunk.length < 3 * EXPORT_CHUNK_CHARS, `${chunk.length}`);
    }
  });

  Deno.test(`${name}: the text is the same for any page size`, async () => {
    const rows = Array.from({ length: 230 }, (_, id) => row(id));
    const texts = await Promise.all(
      [1, 7, 50, 230, 500].map(async (size) =>
        (await Array.fromAsync(writeDocument(FORMATS[name].writer(FIELDS), pagesOf(rows, { size })))).join("")
      ),
    );
    assert.equal(new Set(texts).size, 1);
  });

  Deno.test(`${name}: if the source fails, the document fails and does not end normally`, async () => {
    async function* failing(): AsyncGenerator<ExportRow[]> {
      yield await Promise.resolve([row(1)]);
      throw new Error("Source is gone");
    }
    const read: string[] = [];
    await assert.rejects(async () => {
      for await (const chunk of writeDocument(FORMATS[name].writer(FIELDS), failing())) read.push(chunk);
    }, /Source is gone/);
    assert.deepEqual(read, [], "What was not complete was not given out");
  });

  Deno.test(`${name}: a reader that cancels ends the source`, async () => {
    let ended = false;
    async function* source(): AsyncGenerator<ExportRow[]> {
      try {
        yield* manyRows(100_000);
      } finally {
        ended = true;
      }
    }
    for await (const _ of writeDocument(FORMATS[name].writer(FIELDS), source())) break;
    assert(ended);
  });
}
