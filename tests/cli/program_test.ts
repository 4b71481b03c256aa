import assert from "node:assert/strict";
import { settingsTable } from "../../src/config/mod.ts";
import { certmgr } from "./process.ts";

const GROUPS = [["user"], ["token"]];
const COMMANDS = [
  ["serve"],
  ["health"],
  ["migrate"],
  ["user", "create"],
  ["user", "passwd"],
  ["user", "list"],
  ["token", "create"],
  ["token", "list"],
  ["token", "revoke"],
  ["import"],
  ["export"],
  ["settings"],
];

for (const command of [...GROUPS, ...COMMANDS]) {
  Deno.test(`certmgr ${command.join(" ")} --help shows examples and changes nothing`, async () => {
    const { code, stdout, stderr } = await certmgr([...command, "--help"]);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, new RegExp(`^Usage: certmgr ${command.join(" ")}\\b[^]*Examples:\\n {2}`));
    assert.doesNotMatch(stdout, /default: (false|\[\])/);
  });
}

Deno.test("without a command the help is shown, with every command in it", async () => {
  const { code, stdout, stderr } = await certmgr([]);
  assert.deepEqual([code, stderr], [0, ""]);
  for (const [name] of COMMANDS) assert.match(stdout, new RegExp(`^ {2}${name}\\b`, "m"));
});

Deno.test("the version is that of deno.json", async () => {
  const manifest = JSON.parse(await Deno.readTextFile(new URL("../../deno.json", import.meta.url)));
  assert.equal((await certmgr(["--version"])).stdout, `${manifest.version}\n`);
});

const WRONG = [
  { title: "an unknown command", args: ["srve"], line: /unknown command 'srve'[^]*serve/ },
  { title: "a group without a command", args: ["token"], line: /Usage: certmgr token/ },
  { title: "an unknown option", args: ["migrate", "--chek"], line: /unknown option '--chek'[^]*--check/ },
  { title: "a missing argument", args: ["user", "create"], line: /missing required argument 'username'/ },
  { title: "a missing option", args: ["token", "create"], line: /required option '--user <username>'/ },
  { title: "an additional argument", args: ["user", "list", "x"], line: /too many arguments/ },
  {
    title: "a password on the command line",
    args: ["user", "passwd", "admin", "--password", "correct horse battery"],
    line: /unknown option '--password'/,
  },
  {
    title: "a token id that is not a number",
    args: ["token", "revoke", "1x"],
    line: /^certmgr: Invalid token id "1x". Use a number/,
  },
  {
    title: "an invalid filter",
    args: ["export", "--filter", "status"],
    line: /^certmgr: Invalid filter "status"\. Use <name>=<value>\.\n$/,
  },
  {
    title: "a token without a service",
    args: ["export", "--token", "x"],
    line: /^certmgr: Option --token needs --url\.\n$/,
  },
  {
    title: "a service without a token",
    args: ["export", "--url", "http://127.0.0.1:1"],
    line: /^certmgr: An API token is missing\. Set CERTMGR_TOKEN or use --token\.\n$/,
  },
  {
    title: "an invalid address of a service",
    args: ["import", ".", "--url", "x", "--token", "y"],
    line: /^certmgr: Option --url is "x"\. Expected /,
  },
];

for (const { title, args, line } of WRONG) {
  Deno.test(`${title} exits with code 2 and reports the error on standard error only`, async () => {
    const { code, stdout, stderr } = await certmgr(args);
    assert.match(stderr, line);
    assert.deepEqual([code, stdout], [2, ""]);
  });
}

Deno.test("the settings are listed as text, as JSON and as the Markdown table of docs/settings.md", async () => {
  const { stdout } = await certmgr(["settings"]);
  assert.match(stdout, /^CERTMGR_PORT \(default 8000\)\n {4}Port to listen on/m);
  const all = JSON.parse((await certmgr(["settings", "--json"])).stdout);
  assert.deepEqual(all.find((one: { name: string }) => one.name === "CERTMGR_HOST").default, "127.0.0.1");
  assert.equal((await certmgr(["settings", "--markdown"])).stdout, settingsTable());
});
