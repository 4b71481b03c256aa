/** Shows how far a long command is: one line on standard error, if that is a terminal. */

import { printable } from "../x509/mod.ts";

/** Interval at which the line is written, in milliseconds. */
const SHOW_MS = 200;
const ERASE = "\r\x1b[K";

/** Runs work, and shows the text that it last gave to `show`. The line is removed at the end. */
export async function withProgress<T>(work: (show: (text: string) => void) => Promise<T>): Promise<T> {
  if (!Deno.stderr.isTerminal()) return await work(() => {});
  let latest = "";
  const write = (text: string): void => {
    Deno.stderr.writeSync(new TextEncoder().encode(ERASE + text));
  };
  const timer = setInterval(() => write(printable(latest)), SHOW_MS);
  try {
    return await work((text) => latest = text);
  } finally {
    clearInterval(timer);
    write("");
  }
}

/** Runs work that writes the file at `path`, and shows its size. */
export function withFileProgress<T>(path: string, work: () => Promise<T>): Promise<T> {
  return withProgress(async (show) => {
    const timer = setInterval(() => {
      Deno.stat(path).then(({ size }) => show(`${(size / 1024 / 1024).toFixed(0)} MiB written`), () => {});
    }, SHOW_MS);
    try {
      return await work();
    } finally {
      clearInterval(timer);
    }
  });
}
