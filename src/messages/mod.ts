/** The sentences of findings: a catalogue by code, from which each interface renders its texts. */

import { CATALOGUE } from "./catalogue.ts";

/** All codes with their sentences, for documentation. */
export const CODES: Readonly<Record<string, string>> = CATALOGUE;

/** The code of a finding. */
export type Code = keyof typeof CATALOGUE;

/** The value of a parameter. A list is shown with commas. */
export type Param = string | number | readonly string[];

/** Names of the parameters in a template. */
type Names<Template extends string> = Template extends `${string}{${infer Slot}}${infer Rest}`
  ? (Slot extends `${infer Name}:${string}` ? Name : Slot) | Names<Rest>
  : never;

/** Names of those in its optional parts. */
type Optional<Template extends string> = Template extends `${string}[${infer Part}]${infer Rest}`
  ? Names<Part> | Optional<Rest>
  : never;

/** The parameters of a code. */
export type Params<Of extends Code> =
  & { readonly [Name in Exclude<Names<typeof CATALOGUE[Of]>, Optional<typeof CATALOGUE[Of]>>]: Param }
  & { readonly [Name in Optional<typeof CATALOGUE[Of]>]?: Param | undefined };

/** What is wrong with a value: a code of the catalogue and its parameters. */
export interface Message {
  readonly code: Code;
  readonly params: Readonly<Record<string, Param | undefined>>;
}

/** The words of an interface. The API has its own names of fields, and the sentences of the catalogue. */
export interface Wording {
  /** Returns the name of a field in a sentence. */
  readonly name?: (field: string) => string;
  /** Sentences that are other ones. */
  readonly sentences?: Readonly<Partial<Record<Code, string>>>;
}

/** Renders a message. */
export function sentence(
  { code, params }: Message,
  { name = (field) => field, sentences }: Wording = {},
): string {
  return render(sentences?.[code] ?? CATALOGUE[code], params, name);
}

function render(template: string, params: Message["params"], name: (field: string) => string): string {
  return template
    .replace(
      /\[([^\]]*)\]/g,
      (_, part: string) => slotsOf(part).every((name) => params[name] !== undefined) ? part : "",
    )
    .replace(SLOT, (_, param: string, form: string | undefined) => {
      const value = params[param] ?? "";
      if (form === undefined) return typeof value === "object" ? value.join(", ") : String(value);
      if (form === "field") {
        return (typeof value === "object" ? value : [String(value)]).map(name).join(", ");
      }
      if (form === "or") return typeof value === "object" ? value.join(" or ") : String(value);
      const [one = "", many = ""] = form.split("|");
      return Number(value) === 1 ? one : many;
    });
}

const SLOT = /\{(\w+)(?::([^}]*))?\}/g;

/** Returns the names of a template's parameters. */
function slotsOf(template: string): string[] {
  return [...template.matchAll(SLOT)].map(([, name = ""]) => name);
}
