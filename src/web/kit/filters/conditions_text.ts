/** Conditions and constraints, which are JSON, in words. */

import { isDictionary } from "../../../filters/mod.ts";
import { filterWords } from "./filter_words.ts";

/** Returns conditions as a text: "Status: active and Common name ends with .example.com"; alternatives are joined by "or". */
export function conditionsText(conditions: unknown): string {
  const alternatives = [conditions].flat().filter(isDictionary).map(allOf).filter((text) => text !== "");
  return alternatives.join(", or ");
}

function allOf(condition: Readonly<Record<string, unknown>>): string {
  return Object.entries(condition).map(([name, value]) =>
    filterWords(name, [value].flat().map((one) => one === null ? "none" : String(one)).join(" or "))
  ).join(" and ");
}
