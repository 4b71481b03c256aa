/**
 * Writes the table of conformance results in `docs/chains.md`: `deno task conformance`. Validators that are installed
 * run again; for others the recorded results stay, with their version.
 */

import { BUNDLED_CASES, readText } from "../case_files.ts";
import { DECISIVE_TIERS, readCases } from "../limbo.ts";
import { validateInProcess } from "../validators.ts";
import { go, openssl, type PeerAnswers, webpki } from "./peers.ts";
import { countCases, errorsOf, type PeerErrors, type Recorded, tableOf } from "./table.ts";

const RECORDED = new URL("recorded.json", import.meta.url);
const PAGE = new URL("../../../docs/chains.md", import.meta.url);
const BEGIN = "<!-- conformance: begin -->";
const END = "<!-- conformance: end -->";

const cases = readCases(await readText(BUNDLED_CASES.cases), await readText(BUNDLED_CASES.annotations))
  .filter(({ tier }) => DECISIVE_TIERS.includes(tier));
const before = await recorded();

async function recorded(): Promise<Recorded> {
  try {
    return JSON.parse(await Deno.readTextFile(RECORDED));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return { cases: {}, validators: [] };
  }
}

async function certmgr(): Promise<PeerAnswers> {
  const accepted: string[] = [];
  for (const { case: item } of cases) {
    const { isValid } = await validateInProcess({
      leaf: item.peer_certificate,
      pool: [...item.untrusted_intermediates, ...item.trusted_certs],
      at: item.validation_time ?? "2026-01-01T00:00:00Z",
    });
    if (isValid) accepted.push(item.id);
  }
  return { version: "certmgr", accepted };
}

const validators: PeerErrors[] = [];
const peers = [["certmgr", certmgr], ["OpenSSL", openssl], ["Go", go], ["webpki", webpki]] as const;
for (const [name, ask] of peers) {
  const answers = await ask(cases);
  const known = before.validators.find(({ version }) => version.startsWith(name));
  const errors = answers === undefined ? known : errorsOf(cases, answers);
  if (answers === undefined) {
    const outcome = errors === undefined
      ? "no run of it is recorded: no column"
      : "its recorded results stay";
    console.log(`${name} is not installed or cannot be built, and ${outcome}`);
  }
  if (errors !== undefined) validators.push(errors);
}
const record: Recorded = { cases: countCases(cases), validators };
await Deno.writeTextFile(RECORDED, `${JSON.stringify(record, null, 2)}\n`);
const table = tableOf(record, new Map(cases.map((item) => [item.case.id, item.tier])));
const page = await Deno.readTextFile(PAGE);
const [head, rest] = page.split(BEGIN) as [string, string];
await Deno.writeTextFile(PAGE, `${head}${BEGIN}\n\n${table}\n\n${END}${rest.split(END)[1]}`);
console.log(table);
