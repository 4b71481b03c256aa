/**
 * `deno run tools/try_binary.ts <binary>`: tries the compiled service, from its first start to a restored backup. Each
 * line is a step; the last one is `N passed, N failed`. Exits with 1 when a step failed.
 */

const TOKEN = "abcdefghijABCDEFGHIJ0123456789abcdefghij";
/** How long a process may take to listen, in milliseconds. */
const START_MS = 30_000;

interface Ran {
  readonly code: number;
  readonly text: string;
}

/** Tries the binary, without the environment of this process. */
class Trial {
  passed = 0;
  failed = 0;
  readonly #binary: string;
  readonly #folder: string;

  constructor(binary: string, folder: string) {
    this.#binary = binary;
    this.#folder = folder;
  }

  /** One step: fails if it throws or returns false. */
  async step(title: string, work: () => Promise<boolean>): Promise<void> {
    const problem = await work().then((good) => good ? "" : "unexpected result", (error) => String(error));
    console.log(`${problem === "" ? "ok    " : "FAILED"}  ${title}${problem === "" ? "" : `: ${problem}`}`);
    problem === "" ? this.passed++ : this.failed++;
  }

  async run(args: readonly string[], place = "data"): Promise<Ran> {
    const { code, stdout, stderr } = await this.#command(args, place).output();
    return { code, text: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
  }

  /** Starts the service; returns its address, and a function that stops it and returns its exit code. */
  async serve(
    place = "data",
    env: Record<string, string> = {},
  ): Promise<{ url: string; stop: () => Promise<number> }> {
    const child = this.#command(["serve"], place, env).spawn();
    const errors = new Response(child.stderr).text();
    const timer = setTimeout(() => child.kill("SIGKILL"), START_MS);
    const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!/Listening on \S+\n/.test(text)) {
      const { value, done } = await lines.read();
      if (done) break;
      text += value;
    }
    clearTimeout(timer);
    const url = /Listening on (\S+)\//.exec(text)?.[1];
    if (url === undefined) throw new Error(`The service ended: ${text}${await errors}`);
    return {
      url,
      stop: async () => {
        child.kill("SIGTERM");
        const { code } = await child.status;
        await Promise.all([errors, lines.cancel()]);
        return code;
      },
    };
  }

  #command(args: readonly string[], place: string, env: Record<string, string> = {}): Deno.Command {
    return new Deno.Command(this.#binary, {
      args: [...args],
      cwd: this.#folder,
      clearEnv: true,
      env: {
        CERTMGR_DATA_DIR: `${this.#folder}/${place}`,
        CERTMGR_PORT: "0",
        CERTMGR_ADMIN_TOKEN: TOKEN,
        // Where the runtime unpacks the native library.
        TMPDIR: this.#folder,
        ...env,
      },
      stdout: "piped",
      stderr: "piped",
    });
  }
}

async function get(url: string, path: string, type: string): Promise<boolean> {
  const response = await fetch(`${url}${path}`, { headers: { authorization: `Token ${TOKEN}` } });
  const text = await response.text();
  return response.ok && text.length > 0 && (response.headers.get("content-type") ?? "").startsWith(type);
}

async function tryOut(trial: Trial, folder: string): Promise<void> {
  await trial.step(
    "says its version",
    async () => /^\d+\.\d+\.\d+/.test((await trial.run(["--version"])).text),
  );
  await trial.step("makes the database", async () => (await trial.run(["migrate"])).code === 0);
  const service = await trial.serve();
  const { url } = service;
  await trial.step(
    "is live and ready",
    async () => await get(url, "/healthz", "") && await get(url, "/readyz", ""),
  );
  await trial.step("stores", async () => {
    const response = await fetch(`${url}/api/extras/tags/`, {
      method: "POST",
      headers: { authorization: `Token ${TOKEN}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "kept", slug: "kept" }),
    });
    return await response.text().then(() => response.status === 201);
  });
  await trial.step("shows the pages' styles", async () => {
    const page = await (await fetch(`${url}/sign-in/`)).text();
    const path = /href="(\/assets\/[^"]+\.css)"/.exec(page)?.[1];
    return path !== undefined && await get(url, path, "text/css");
  });
  await trial.step(
    "shows the API's viewer",
    () => get(url, "/api/schema/swagger-ui/swagger-ui-bundle.js", "text/"),
  );
  await trial.step("shows the editor of queries", () => get(url, "/graphql/viewer/graphiql.js", "text/"));
  await trial.step("tells metrics", () => get(url, "/metrics", "text/plain"));
  await trial.step(
    "backs up while it runs",
    async () => (await trial.run(["backup", `${folder}/b.db`])).code === 0,
  );
  await trial.step("stops cleanly", async () => await service.stop() === 0);
  await trial.step(
    "restores elsewhere",
    async () => (await trial.run(["restore", `${folder}/b.db`], "other")).code === 0,
  );
  await trial.step(
    "checks the copy without errors",
    async () => (await trial.run(["check"], "other")).code === 0,
  );
  const again = await trial.serve("other");
  await trial.step(
    "still has the stored data",
    () => get(again.url, "/api/extras/tags/1/", "application/json"),
  );
  await trial.step("stops again", async () => await again.stop() === 0);
  const workers = await trial.serve("other", { CERTMGR_WORKERS: "2" });
  await trial.step(
    "serves with two workers",
    () => get(workers.url, "/api/extras/tags/1/", "application/json"),
  );
  await trial.step("stops both", async () => await workers.stop() === 0);
}

async function main([binary]: readonly string[]): Promise<number> {
  if (binary === undefined) {
    console.error("Usage: deno run tools/try_binary.ts <binary>");
    return 2;
  }
  const folder = await Deno.makeTempDir({ prefix: "certmgr-binary-" });
  const trial = new Trial(await Deno.realPath(binary), folder);
  try {
    await trial.step("the whole way", () => tryOut(trial, folder).then(() => true));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  console.log(`${trial.passed} passed, ${trial.failed} failed`);
  return trial.failed === 0 ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
