/**
 * The text format in which Prometheus reads metrics, version 0.0.4.
 * https://prometheus.io/docs/instrumenting/exposition_formats/
 */

export const EXPOSITION_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Names and values of labels. Values can be any text, names are `[a-z_]+`. */
export type Labels = Readonly<Record<string, string>>;

/** A line: a value of the family, with an optional suffix of its name (`_bucket`). */
export interface Sample {
  readonly suffix?: "_bucket" | "_sum" | "_count";
  readonly labels?: Labels;
  readonly value: number;
}

/** All samples with a name. */
export interface Family {
  /** `certmgr_http_requests_total`; units are in the name (seconds, bytes). */
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly samples: readonly Sample[];
}

/** Writes families, without those that have no samples. */
export function writeExposition(families: readonly Family[]): string {
  return families.filter(({ samples }) => samples.length > 0).map(familyText).join("");
}

function familyText({ name, help, type, samples }: Family): string {
  const lines = samples.map(({ suffix = "", labels = {}, value }) =>
    `${name}${suffix}${labelText(labels)} ${valueText(value)}`
  );
  return `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n${lines.join("\n")}\n`;
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) =>
    `${name}="${escaped(value).replaceAll('"', '\\"')}"`
  );
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

/** Formats a number for Go's ParseFloat. */
function valueText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  return Number.isFinite(value) ? String(value) : value > 0 ? "+Inf" : "-Inf";
}
