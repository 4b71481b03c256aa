/** Runs the openssl command as an independent implementation. Needs --allow-run=openssl. */

/** Runs openssl and returns its standard output. Fails with its error text. */
export async function openssl(args: readonly string[], input?: Uint8Array | string): Promise<string> {
  return new TextDecoder().decode(await opensslBytes(args, input));
}

/** Runs openssl like {@link openssl} and returns binary output. */
export async function opensslBytes(
  args: readonly string[],
  input?: Uint8Array | string,
): Promise<Uint8Array> {
  const { success, stdout, stderr } = await opensslResult(args, input);
  if (!success) throw new Error(`openssl ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
  return stdout;
}

/** Runs openssl and returns all its output, whether it succeeds or not. */
export async function opensslResult(
  args: readonly string[],
  input?: Uint8Array | string,
): Promise<Deno.CommandOutput> {
  const child = new Deno.Command("openssl", {
    args: [...args],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  const bytes = typeof input === "string" ? new TextEncoder().encode(input) : input ?? new Uint8Array();
  // A command that does not read its input closes the pipe before we do.
  const written = writer.write(bytes).then(() => writer.close()).catch(() => undefined);
  const [output] = await Promise.all([child.output(), written]);
  return output;
}
