/** Values as the change log has recorded them. */

import { type Resource, shapeOf } from "../../resource/mod.ts";
import { type Content, Time, truncate } from "../components/mod.ts";
import { objectPath } from "../paths.ts";
import { Text } from "./value.tsx";

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$/;

/** Returns whether a recorded value says nothing: null, an empty text, list or object. */
export function isNothing(value: unknown): boolean {
  return value === null || value === undefined || value === "" ||
    typeof value === "object" && Object.keys(value).length === 0;
}

/** Renders a recorded value of a field: times, yes and no, and links to related objects, which are recorded by id. */
export function recordedValue(
  value: unknown,
  { resource, name, most }: {
    /** Undefined for types that do not exist any more. */
    resource: Resource | undefined;
    name: string;
    /** Characters after which a text is cut off. */
    most?: number;
  },
): Content {
  if (isNothing(value)) return <span class="faint">–</span>;
  if (typeof value === "boolean") return value ? "yes" : "no";
  const field = resource?.fields[name];
  if (typeof value === "number") {
    const target = field?.target?.();
    return target === undefined
      ? String(value)
      : <a href={objectPath(target, value)} class="underlined">{`${target.label} ${value}`}</a>;
  }
  const recorded = textOf(value);
  const text = field !== undefined && shapeOf(field).kind === "choice"
    ? recorded.replaceAll("_", " ")
    : recorded;
  if (TIME.test(text)) return <Time at={text} />;
  return most === undefined ? <Text text={text} /> : <bdi>{truncate(text, most)}</bdi>;
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((one) => typeof one !== "object")) return value.join(", ");
  const { display } = value as { display?: unknown };
  return display === undefined ? JSON.stringify(value) : String(display);
}
