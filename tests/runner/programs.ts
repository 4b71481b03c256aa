/**
 * The programs of other projects that tests need: how to see that one is missing, which Debian packages bring it, and
 * which tests use it. As a program, prints the packages that are missing: `.ci/run` installs them.
 */

import { dirname, join } from "node:path";

/** A program, or a file, that a fresh machine lacks. */
export interface Program {
  readonly name: string;
  readonly packages: readonly string[];
  /** A command of the shell that succeeds if the program is installed. */
  readonly probe: string;
  /** What a source contains that uses it; the tests that import this source need the program as well. */
  readonly uses: RegExp;
}

export const PROGRAMS: readonly Program[] = [
  { name: "openssl", packages: ["openssl"], probe: "command -v openssl", uses: /\bCommand\("openssl"/ },
  {
    name: "/etc/ssl/certs/ca-certificates.crt",
    packages: ["ca-certificates"],
    probe: "test -s /etc/ssl/certs/ca-certificates.crt",
    uses: /"\/etc\/ssl\/certs\/ca-certificates\.crt"/,
  },
  {
    name: "chromium",
    // The font is what it draws letters with.
    packages: ["chromium", "fonts-dejavu-core"],
    probe: `if [ -n "$CERTMGR_CHROMIUM" ]; then [ -f "$CERTMGR_CHROMIUM" ]; else
      command -v chromium || command -v chromium-browser || command -v google-chrome || command -v chrome; fi`,
    uses: /\bchromium\.launch\(/,
  },
  // NetBox's own clients, which the service must understand.
  {
    name: "ansible",
    packages: ["ansible"],
    probe: "test -x /usr/bin/ansible-playbook",
    uses: /"\/usr\/bin\/ansible-playbook"/,
  },
  {
    name: "pynetbox",
    // The last two are what NetBox's inventory plugin imports.
    packages: ["python3", "python3-pynetbox", "python3-tz", "python3-packaging"],
    probe: "/usr/bin/python3 -c 'import pynetbox, pytz, packaging'",
    uses: /"\/usr\/bin\/python3"/,
  },
  { name: "script", packages: ["bsdutils"], probe: "command -v script", uses: /\bterminal: true\b/ },
  { name: "pgrep", packages: ["procps"], probe: "command -v pgrep", uses: /\bCommand\("pgrep"/ },
  { name: "prlimit", packages: ["util-linux"], probe: "command -v prlimit", uses: /"prlimit"/ },
];

/** Tests that are left out, because a program is missing. */
export interface Skipped {
  readonly program: Program;
  readonly files: readonly string[];
}

/** Returns what is missing and how to get it, in one sentence. */
export function missingText({ name, packages }: Program): string {
  return `${name} is missing: apt-get install ${packages.join(" ")}`;
}

/** Returns the missing programs that tests use, each with these tests; `files` are paths below `folder`. */
export async function findMissing(
  folder: string,
  files: readonly string[],
  { programs = PROGRAMS, isInstalled = succeeds }: {
    programs?: readonly Program[];
    isInstalled?: (probe: string) => Promise<boolean>;
  } = {},
): Promise<Skipped[]> {
  const missing: Program[] = [];
  for (const program of programs) if (!await isInstalled(program.probe)) missing.push(program);
  if (missing.length === 0) return [];
  const sources = new Map<string, string>();
  const texts = files.map((file) => [file, textsOf(join(folder, file), sources)] as const);
  return missing.map((program) => ({
    program,
    files: texts.filter(([, all]) => all.some((text) => program.uses.test(text))).map(([file]) => file),
  })).filter((skipped) => skipped.files.length > 0);
}

/** Returns the texts of a source and of all that it imports by a relative path, its own folders' outside `src/` only. */
function textsOf(path: string, sources: Map<string, string>, seen = new Set<string>()): string[] {
  if (seen.has(path)) return [];
  seen.add(path);
  const text = sources.get(path) ?? Deno.readTextFileSync(path);
  sources.set(path, text);
  const imports = [...text.matchAll(/(?:from|import) "(\.{1,2}\/[^"]+\.tsx?)"/g)].map(([, name]) =>
    join(dirname(path), name as string)
  ).filter((name) => !name.includes("/src/"));
  return [text, ...imports.flatMap((name) => textsOf(name, sources, seen))];
}

/**
 * Installs the packages of missing programs, if this process may: as root, and where there is apt-get. Without it, or
 * without a network, the programs stay missing.
 */
export async function install(missing: readonly Skipped[]): Promise<void> {
  const packages = missing.flatMap(({ program }) => program.packages).join(" ");
  if (packages === "" || !await succeeds('[ "$(id -u)" = 0 ] && command -v apt-get')) return;
  console.log(`Installing ${packages}`);
  await succeeds(
    `export DEBIAN_FRONTEND=noninteractive; apt-get update -q && apt-get install -q -y --no-install-recommends ${packages}`,
    "inherit",
  );
}

/** Whether a command of the shell succeeds. The shell has this path on every system, whatever PATH says. */
async function succeeds(command: string, output: "null" | "inherit" = "null"): Promise<boolean> {
  const args = ["-c", command];
  return (await new Deno.Command("/bin/sh", { args, stdin: "null", stdout: output, stderr: output }).output())
    .success;
}

if (import.meta.main) {
  for (const { packages, probe } of PROGRAMS) if (!await succeeds(probe)) console.log(packages.join(" "));
}
