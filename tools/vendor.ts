/**
 * `deno task vendor`: copies files out of packages of which the service serves a few files only, so that nobody has to
 * download the rest. The versions and the hashes are pinned here: a package with other content is refused. Large files
 * are stored compressed (Brotli, as base64, because modules import text only), and fonts, which are compressed, as base64. A
 * test compares the copies with the hashes.
 */

import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";

/** A file of a package. */
export interface Vendored {
  /** Package and version. */
  readonly from: string;
  /** A file of the package, or an export of a module of it (`module#export`). */
  readonly source: string;
  /** SHA-256 of the text; of a font, of its base64. */
  readonly sha256: string;
  /** Where the copy is; `.br.txt` are compressed, `.b64.txt` are base64. */
  readonly copy: string;
}

const PICO = "@picocss/pico@2.1.1";
const INTER = "@fontsource-variable/inter@5.3.0";
const MONO = "@fontsource-variable/jetbrains-mono@5.3.0";
const SWAGGER = "swagger-ui-dist@5.35.0";
const GRAPHIQL = "@graphql-yoga/render-graphiql@5.24.1";
const PAGES = "src/web/assets/vendor/";
const API = "src/rest/openapi/vendor/";
const EDITOR = "src/graphql/vendor/";

/** All copies. */
export const VENDORED: readonly Vendored[] = [
  {
    from: PICO,
    source: "css/pico.min.css",
    sha256: "fbc9a63fc9fc9f72d12fd7fc9806e11fa9f77ae4f9cad146b27003a1119ba3db",
    copy: `${PAGES}pico.min.css`,
  },
  {
    from: PICO,
    source: "LICENSE.md",
    sha256: "afaff063e044233f917b7807dccab022f09dca474f92b642846bee4850655bbf",
    copy: `${PAGES}pico.LICENSE.md`,
  },
  {
    from: INTER,
    source: "files/inter-latin-wght-normal.woff2",
    sha256: "b222c6332cbf94ec49fd3780fe5d700762b4c243b4e4cb8282a073d1010d1d83",
    copy: `${PAGES}inter.woff2.b64.txt`,
  },
  {
    from: INTER,
    source: "LICENSE",
    sha256: "3b0a5fca3d17942cde889069889dedbbbd075e9b599968c82a95f4d944e9b345",
    copy: `${PAGES}inter.LICENSE`,
  },
  {
    from: MONO,
    source: "files/jetbrains-mono-latin-wght-normal.woff2",
    sha256: "c29fab09b6253f9fe8d51a0c022db589851941dce64b4df7fc26b4d0c3c8b4fc",
    copy: `${PAGES}jetbrains-mono.woff2.b64.txt`,
  },
  {
    from: MONO,
    source: "LICENSE",
    sha256: "403581b69dac5cff4079205e01c6b467e56af449ecbd7247693ddb1baafa005b",
    copy: `${PAGES}jetbrains-mono.LICENSE`,
  },
  {
    from: SWAGGER,
    source: "swagger-ui.css",
    sha256: "5ed08757e53da3e026d6cbecc61fe5d43585c9560b302d534ad56692519a273d",
    copy: `${API}swagger-ui.css.br.txt`,
  },
  {
    from: SWAGGER,
    source: "swagger-ui-bundle.js",
    sha256: "e6a898692f2d768e807c3ba4626068a69a2c5dd960dd6c76f3e4d3a3de180af2",
    copy: `${API}swagger-ui-bundle.js.br.txt`,
  },
  {
    from: SWAGGER,
    source: "LICENSE",
    sha256: "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30",
    copy: `${API}LICENSE`,
  },
  {
    from: SWAGGER,
    source: "NOTICE",
    sha256: "0d20d1adef18aee3f40dd258172155521ce702ac445cb5f7b7d60ed32dad2fb2",
    copy: `${API}NOTICE`,
  },
  {
    from: SWAGGER,
    source: "swagger-ui-bundle.js.LICENSE.txt",
    sha256: "37eb6e7e59aed57b2c1acf076574b818ea07b74265717e0bd67b59e0baf9abbb",
    copy: `${API}swagger-ui-bundle.js.LICENSE.txt`,
  },
  {
    from: GRAPHIQL,
    source: "graphiql#css",
    sha256: "57be8cb9e50eecfcee37207bef0b066685a213073e0dac74b7cf8a5581d2bc58",
    copy: `${EDITOR}graphiql.css.br.txt`,
  },
  {
    from: GRAPHIQL,
    source: "graphiql#js",
    sha256: "49d5da0a2f78b554ac556687a8aafd26367eacbec1007d766c44c075995d00d7",
    copy: `${EDITOR}graphiql.js.br.txt`,
  },
  {
    from: GRAPHIQL,
    source: "graphiql#editorWorkerService",
    sha256: "a7e7ffcdd2a883e1535f18f0c4933aa469e7e49650a76a0e5295386e208daf40",
    copy: `${EDITOR}editor.worker.js.br.txt`,
  },
  {
    from: GRAPHIQL,
    source: "graphiql#jsonWorker",
    sha256: "56ef608bc2800ff8ffe7ca166933a5c3358fa3507efc30e995495ebc7393e33e",
    copy: `${EDITOR}json.worker.js.br.txt`,
  },
  {
    from: GRAPHIQL,
    source: "graphiql#graphqlWorker",
    sha256: "f5b5f7edafe2f2c15e1cc0a2647fa9f2fc137bc2a8eadafb1cc4ff245b038e09",
    copy: `${EDITOR}graphql.worker.js.br.txt`,
  },
];

/** Characters of a line of base64. */
const LINE = 120;

/** Returns the text that a stored copy stands for. */
export function readCopy(name: string, stored: string): string {
  if (name.endsWith(".b64.txt")) return stored.replaceAll("\n", "");
  if (!name.endsWith(".br.txt")) return stored;
  return new TextDecoder().decode(brotliDecompressSync(Uint8Array.fromBase64(stored)));
}

/** Returns the SHA-256 of a text, as hexadecimal digits. */
export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function storedForm(name: string, text: string): string {
  if (name.endsWith(".b64.txt")) return inLines(text);
  if (!name.endsWith(".br.txt")) return text;
  const packed = brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
  return inLines(new Uint8Array(packed).toBase64());
}

function isFont(path: string): boolean {
  return path.endsWith(".woff2");
}

function inLines(base64: string): string {
  return `${base64.replace(new RegExp(`.{${LINE}}`, "g"), "$&\n")}\n`;
}

/** Returns the texts of all files, read from their packages by a program that imports them. */
async function readPackages(): Promise<string[]> {
  const imports = VENDORED.map(({ from, source }, index) => {
    const [path, name] = source.split("#") as [string, string | undefined];
    return name === undefined
      ? `import file${index} from "npm:${from}/${path}" with { type: "${isFont(path) ? "bytes" : "text"}" };`
      : `import { ${name} as file${index} } from "npm:${from}/${path}";`;
  });
  const names = VENDORED.map(({ source }, index) => `file${index}${isFont(source) ? ".toBase64()" : ""}`)
    .join(", ");
  const program = `${imports.join("\n")}\nconsole.log(JSON.stringify([${names}]));\n`;
  // Without the project's configuration and lock file, in which these packages are not.
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", "--no-prompt", "--no-config", "--no-lock", "--unstable-raw-imports", "-"],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(program));
  await writer.close();
  const { stdout, success } = await child.output();
  if (!success) throw new Error("The packages cannot be read");
  return JSON.parse(new TextDecoder().decode(stdout));
}

async function main(): Promise<number> {
  let differing = 0;
  const texts = await readPackages();
  for (const [index, file] of VENDORED.entries()) {
    const text = texts[index] as string;
    const hash = hashOf(text);
    if (hash !== file.sha256) {
      console.error(`${file.from}/${file.source} has the SHA-256 ${hash}, not ${file.sha256}.`);
      differing++;
      continue;
    }
    const target = fileURLToPath(new URL(`../${file.copy}`, import.meta.url));
    await Deno.writeTextFile(target, storedForm(file.copy, text));
    console.log(`${file.copy}: ${text.length} characters`);
  }
  return differing === 0 ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main());
