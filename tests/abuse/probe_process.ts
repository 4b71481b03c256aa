/**
 * `… probe_process.ts <url> <token> <process id>`: another client of a service, in a separate process, so that only the
 * service makes it wait. It reads one certificate repeatedly, and measures the memory of the service. It prints a line
 * of JSON each time; times are milliseconds since the epoch.
 */

/** A response, or a measurement of the service's memory. */
export type ProbeLine =
  | { readonly start: number; readonly ms: number; readonly status: number }
  | { readonly at: number; readonly resident: number };

/** Pause between two requests, in milliseconds. */
const PAUSE_MS = 5;
/** Pause between two measurements of the memory, in milliseconds. */
const MEMORY_PAUSE_MS = 20;

function now(): number {
  return performance.timeOrigin + performance.now();
}

function print(line: ProbeLine): void {
  console.log(JSON.stringify(line));
}

/** Reads a certificate; the status is 0 if the connection broke. */
async function ask(url: string, token: string): Promise<ProbeLine> {
  const start = now();
  const status = await fetch(
    `${url}/api/plugins/certmgr/certificates/?limit=1`,
    {
      headers: {
        authorization: `Token ${token}`,
        "x-forwarded-for": "192.0.2.9",
      },
    },
  ).then(async (response) => {
    await response.arrayBuffer();
    return response.status;
  }, () => 0);
  return { start, ms: now() - start, status };
}

/**
 * Returns the memory of a process and its children in bytes, as the kernel reports it; 0 after its end. It does not
 * include mapped pages of the database file, which the kernel can reclaim.
 */
function residentBytes(pid: string): number {
  try {
    const line = /^RssAnon:\s+(\d+) kB$/m.exec(
      Deno.readTextFileSync(`/proc/${pid}/status`),
    );
    // Workers, if the service has several.
    const children = Deno.readTextFileSync(`/proc/${pid}/task/${pid}/children`)
      .trim();
    const below = children === "" ? [] : children.split(" ").map(residentBytes);
    return Number(line?.[1] ?? 0) * 1024 +
      below.reduce((sum, bytes) => sum + bytes, 0);
  } catch {
    return 0;
  }
}

if (import.meta.main) {
  const [url = "", token = "", pid = ""] = Deno.args;
  setInterval(
    () => print({ at: now(), resident: residentBytes(pid) }),
    MEMORY_PAUSE_MS,
  );
  for (;;) {
    print(await ask(url, token));
    await new Promise((done) => setTimeout(done, PAUSE_MS));
  }
}
