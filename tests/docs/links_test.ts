/** Links between the documents lead to files and headings that exist. */

import assert from "node:assert/strict";

const ROOT = new URL("../../", import.meta.url);
/** Links, with or without a title; the addresses of pictures have the same form. */
const LINK = /\]\(<?([^)\s>]*)>?(?: "[^"]*")?\)/g;

/** Returns the Markdown files of the project, as paths from its root. */
async function documents(): Promise<string[]> {
  const found: string[] = [];
  for (const folder of ["", "docs/"]) {
    for await (const { name } of Deno.readDir(new URL(folder === "" ? "." : folder, ROOT))) {
      if (name.endsWith(".md")) found.push(`${folder}${name}`);
    }
  }
  return found.sort();
}

/** Removes code, in which brackets are not links and `#` begins no heading. */
function prose(text: string): string {
  return text.replace(/^```[^]*?^```$/gm, "").replace(/^ {4}.*$/gm, "").replace(
    /`[^`\n]*`/g,
    (code) => code.replaceAll(/[[\]()]/g, ""),
  );
}

/** Returns the anchors of a document, as GitHub derives them from headings. */
function anchors(text: string): string[] {
  return [...prose(text).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title.toLowerCase().replace(/[^\w\s-]/g, "").replaceAll(" ", "-")
  );
}

for (const document of await documents()) {
  Deno.test(`every relative link in ${document} leads to a file and a heading that exist`, async () => {
    const text = await Deno.readTextFile(new URL(document, ROOT));
    for (const [, link = ""] of prose(text).matchAll(LINK)) {
      if (/^[a-z]+:/.test(link)) continue;
      const [path = "", anchor] = link.split("#");
      const target = new URL(path, new URL(document, ROOT));
      if (path !== "") await assert.doesNotReject(Deno.stat(target), `${document}: ${link}`);
      if (anchor === undefined) continue;
      const headings = anchors(path === "" ? text : await Deno.readTextFile(target));
      assert.ok(headings.includes(anchor), `${document}: ${link}`);
    }
  });
}

Deno.test("every page in docs/ is linked from the README", async () => {
  const readme = await Deno.readTextFile(new URL("README.md", ROOT));
  const pages = (await documents()).filter((path) => path.startsWith("docs/"));
  assert.deepEqual(pages.filter((path) => !readme.includes(`](${path})`)), []);
});
