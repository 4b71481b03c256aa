/** Other validators of chains. Each runs with the anchors that a case trusts and without a host name. */

import { readPem } from "../../../src/x509/pem.ts";
import type { AnnotatedCase } from "../limbo.ts";

/** Results of one validator: its version, and the ids of the cases whose chain it accepts. */
export interface PeerAnswers {
  readonly version: string;
  readonly accepted: readonly string[];
}

/** Validates all cases. Returns undefined if the validator is not installed or cannot be built. */
export type Peer = (cases: readonly AnnotatedCase[]) => Promise<PeerAnswers | undefined>;

/** The time of cases without one, so that two runs agree. */
const DEFAULT_TIME = "2026-01-01T00:00:00Z";

interface Output {
  readonly success: boolean;
  readonly text: string;
}

/** Runs a command. Returns undefined if it is missing. */
async function run(
  command: string,
  args: readonly string[],
  input = "",
  cwd?: URL,
): Promise<Output | undefined> {
  try {
    const child = new Deno.Command(command, {
      args: [...args],
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
      ...(cwd === undefined ? {} : { cwd }),
    }).spawn();
    const writer = child.stdin.getWriter();
    const written = writer.write(new TextEncoder().encode(input)).then(() => writer.close()).catch(() => {});
    const [{ success, stdout }] = await Promise.all([child.output(), written]);
    return { success, text: new TextDecoder().decode(stdout) };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** `openssl verify`, with every certificate that a case trusts as an anchor. */
export const openssl: Peer = async (cases) => {
  const version = await run("openssl", ["version"]);
  if (version === undefined) return undefined;
  const folder = await Deno.makeTempDir();
  const accepted: string[] = [];
  try {
    for (const { case: item } of cases) {
      const files = {
        leaf: [item.peer_certificate],
        pool: item.untrusted_intermediates,
        roots: item.trusted_certs,
      };
      for (const [name, texts] of Object.entries(files)) {
        await Deno.writeTextFile(`${folder}/${name}`, texts.join("\n"));
      }
      const at = Math.floor(Date.parse(item.validation_time ?? DEFAULT_TIME) / 1000);
      const answer = await run("openssl", [
        ...["verify", "-attime", String(at), "-partial_chain", "-no-CApath", "-no-CAstore"],
        ...(files.roots.length === 0 ? ["-no-CAfile"] : ["-CAfile", `${folder}/roots`]),
        // An empty file is an error for it.
        ...(files.pool.length === 0 ? [] : ["-untrusted", `${folder}/pool`]),
        `${folder}/leaf`,
      ]);
      if (answer?.success) accepted.push(item.id);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  return { version: version.text.split(" ").slice(0, 2).join(" "), accepted };
};

/** `crypto/x509` of the installed Go. */
export const go: Peer = async (cases) => {
  const input = cases.map(({ case: item }) => ({
    id: item.id,
    leaf: item.peer_certificate,
    intermediates: item.untrusted_intermediates,
    roots: item.trusted_certs,
    at: item.validation_time ?? DEFAULT_TIME,
  }));
  const answer = await run("go", ["run", "."], JSON.stringify(input), new URL("go/", import.meta.url));
  if (answer === undefined) return undefined;
  if (!answer.success) throw new Error("The Go program failed: run `go run .` in tests/conformance/peers/go");
  const { version, accepted } = JSON.parse(answer.text) as PeerAnswers;
  return { version: version.replace(/^go/, "Go "), accepted };
};

/** Returns certificates as the Rust program reads them. */
function hexadecimal(texts: readonly string[]): string {
  return texts.flatMap((text) => readPem(text).blocks.slice(0, 1)).map(({ bytes }) => `${bytes.toHex()},`)
    .join("");
}

/** webpki, the path validation of rustls, if cargo and the crates of `rust/Cargo.toml` are available. */
export const webpki: Peer = async (cases) => {
  const folder = await Deno.makeTempDir();
  try {
    // Cargo writes its lock file and its output next to the sources.
    await Deno.mkdir(`${folder}/src`);
    for (const name of ["Cargo.toml", "src/main.rs"]) {
      await Deno.copyFile(new URL(`rust/${name}`, import.meta.url), `${folder}/${name}`);
    }
    const target = `${folder}/target`;
    const options = ["--release", "--manifest-path", `${folder}/Cargo.toml`, "--target-dir", target];
    const built = await run("cargo", ["build", "-q", ...options]);
    if (!built?.success) return undefined;
    const lines = cases.map(({ case: item }) =>
      [
        item.id,
        Math.floor(Date.parse(item.validation_time ?? DEFAULT_TIME) / 1000),
        hexadecimal([item.peer_certificate]),
        hexadecimal(item.untrusted_intermediates),
        hexadecimal(item.trusted_certs),
      ].join(" ")
    );
    const answer = await run(`${target}/release/conformance`, [], lines.join("\n"));
    if (!answer?.success) throw new Error("The Rust program in tests/conformance/peers/rust failed");
    const accepted = answer.text.split("\n").filter((id) => id !== "");
    return { version: "webpki 0.22, as in rustls 0.20", accepted };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
};
