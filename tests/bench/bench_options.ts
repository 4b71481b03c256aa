/** The command line of the benchmarks. */

import { parseArgs } from "node:util";

/** An option: its default, and what it means. Without a default it is optional; `false` is a switch. */
type Option = readonly [fallback: string | false | undefined, help: string];

type Values<Options> = {
  readonly [Name in keyof Options]: Options[Name] extends readonly [string, string] ? string
    : Options[Name] extends readonly [false, string] ? boolean
    : string | undefined;
};

/**
 * Returns the options of a task, `bench:growth`. Prints the usage and exits with 0 for `--help`; reports an unknown
 * option or a number that is none, and exits with 2.
 */
export function benchOptions<const Options extends Readonly<Record<string, Option>>>(
  task: string,
  options: Options,
): Values<Options> {
  try {
    const values = readOptions(Deno.args, options);
    if (values.help !== true) return values as Values<Options>;
    console.log(usageOf(task, options));
    Deno.exit(0);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    console.error(`${error.message}\n\n${usageOf(task, options)}`);
    Deno.exit(2);
  }
}

/** Reads a command line. Errors: TypeError. */
export function readOptions(
  args: readonly string[],
  options: Readonly<Record<string, Option>>,
): Readonly<Record<string, unknown>> {
  const parsed = parseArgs({
    args: args.filter((arg) => arg !== "--"),
    options: {
      help: { type: "boolean", short: "h" },
      ...Object.fromEntries(
        Object.entries(options).map(([name, [fallback]]) => [name, {
          type: fallback === false ? "boolean" as const : "string" as const,
          ...(fallback === undefined ? {} : { default: fallback }),
        }]),
      ),
    },
  });
  const values: Readonly<Record<string, unknown>> = parsed.values;
  for (const [name, [fallback]] of Object.entries(options)) {
    // An option with a number, or with several, accepts only these.
    if (typeof fallback !== "string" || !NUMBERS.test(fallback)) continue;
    if (!NUMBERS.test(String(values[name]))) {
      throw new TypeError(`Invalid --${name} "${values[name]}". Use a number such as ${fallback}.`);
    }
  }
  return values;
}

const NUMBERS = /^\d+(,\d+)*$/;

/** Returns the usage of a task: a line for each option. */
export function usageOf(task: string, options: Readonly<Record<string, Option>>): string {
  const lines = Object.entries(options).map(([name, [fallback, help]]) =>
    [fallback === false ? `--${name}` : `--${name} <value>`, help, fallback || undefined] as const
  );
  const width = Math.max(0, ...lines.map(([name]) => name.length));
  return [
    `Usage: deno task ${task}${lines.length === 0 ? "" : " [options]"}`,
    ...lines.map(([name, help, fallback]) =>
      `  ${name.padEnd(width)}  ${help}${fallback === undefined ? "" : ` (default: ${fallback})`}`
    ),
  ].join("\n");
}
