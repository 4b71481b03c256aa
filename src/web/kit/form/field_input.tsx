/** The control of any field in a form. */

import type { FieldErrors } from "../../../base/errors.ts";
import { type Field, isCustomMember, shapeOf } from "../../../resource/mod.ts";
import {
  Checkbox,
  CheckboxList,
  ColorField,
  type Html,
  Select,
  type SelectOption,
  TextArea,
  TextField,
} from "../components/mod.ts";
import { labelOf, wordsOf } from "../../messages.ts";
import { isDuration } from "./durations.ts";
import { HeaderInput } from "./header_input.tsx";
import { ProposalInput } from "./proposals.tsx";
import type { LoadedReference } from "../reference/choices.ts";
import { Reference, References } from "../reference/reference.tsx";
import type { LoadedProposals } from "../view.ts";

/** Maximum length of texts that have a single line. */
const LINE_CHARS = 250;

/** Renders the control with its value. */
export function FieldInput(
  {
    field,
    help,
    value,
    errors,
    choices,
    reference,
    suggestions,
    proposals,
    changing,
    required,
    visibleGroups,
    blank,
  }: {
    field: Field;
    help: string;
    value: string | readonly string[];
    errors: FieldErrors;
    /** Choices that the field does not have itself. */
    choices: readonly SelectOption[] | undefined;
    reference: LoadedReference | undefined;
    suggestions?: readonly string[] | undefined;
    proposals?: LoadedProposals | undefined;
    changing: boolean;
    /** Whether it is required although its definition says otherwise. */
    required: boolean;
    /** Number of groups of choices that are not collapsed; default: all. */
    visibleGroups?: number | undefined;
    /** Label of the empty choice; default: a dash. */
    blank?: string | undefined;
  },
): Html {
  const shape = shapeOf(field);
  const secret = field.writeOnly && shape.kind !== "boolean";
  const derived = field.notation === "slug" && !changing;
  // A required reference that is null refers to an object that the user may not view.
  const hidden = changing && field.required && reference !== undefined && value === "";
  const texts = [
    help,
    ...(hidden ? ["You may not view the present object. If you select none, it stays."] : []),
    ...(secret && changing ? ["Leave empty to keep the current value."] : []),
    ...(derived ? ["Leave empty to derive it from the name."] : []),
  ];
  const common = {
    name: field.name,
    label: field.label ?? labelOf(field.name),
    help: texts.filter(Boolean).join(" "),
    errors,
    ...((field.required || required) && !(secret && changing) && !derived && !hidden
      ? { required: true }
      : {}),
  };
  if (field.notation === "headers") {
    return <HeaderInput common={common} lines={[value].flat()} changing={changing} />;
  }
  if (proposals !== undefined) {
    return <ProposalInput common={common} values={[value].flat()} proposals={proposals} />;
  }
  const text = typeof value === "string" ? value : value.join("\n");
  if (shape.kind === "boolean") return <Checkbox {...common} checked={text === "true"} />;
  const known = choices ?? reference?.options ?? shape.choices?.map(optionOf(field)) ?? [];
  const options = [...known, ...formerChoices(field, value, known)];
  const none = (field.required && text !== "") || options.some(([one]) => one === "")
    ? []
    : [["", blank ?? "–"] as const];
  if (reference !== undefined && (reference.options === undefined || typeof value === "string")) {
    return typeof value === "string"
      ? <Reference field={common} reference={reference} values={[value]} empty={none} />
      : <References field={common} reference={reference} values={value} />;
  }
  if (choices !== undefined || reference !== undefined || shape.choices !== undefined) {
    if (typeof value === "string") {
      return <Select {...common} value={value} options={[...none, ...options]} />;
    }
    if (options.length === 0) return <NothingToChoose {...common} />;
    return <CheckboxList {...common} values={value} options={options} visibleGroups={visibleGroups} />;
  }
  if (field.notation === "color") return <ColorField {...common} value={text} />;
  switch (shape.kind) {
    case "list":
      return <TextArea {...common} value={text} help={`${common.help} ${linesHelp(shape.nullable)}`} />;
    case "object":
      return <TextArea {...common} value={text} rows={6} mono />;
    case "datetime":
      return <TextField {...common} value={text} type="datetime-local" help={`${common.help} UTC.`} />;
    case "date":
      return <TextField {...common} value={text} type="date" />;
    case "url":
      return <TextField {...common} value={text} type="url" />;
    case "integer":
      if (isDuration(field)) return <TextField {...common} value={text} />;
      return <TextField {...common} value={text} type="number" />;
    case "decimal":
      return <TextField {...common} value={text} type="number" step="any" />;
    default: {
      const code = field.long || /template/.test(field.name);
      return isLong(field, shape.maxLength) || text.includes("\n")
        ? <TextArea {...common} value={text} mono={code} rows={code ? 8 : 3} />
        : (
          <TextField
            {...common}
            value={text}
            {...(suggestions === undefined ? {} : { list: suggestions })}
            timeZones={field.name === "time_zone"}
            derived={derived}
            type={secret ? "password" : "text"}
            autocomplete={secret ? "new-password" : "off"}
          />
        );
    }
  }
}

/** Returns help about the notation of lists; null and an empty list can differ. */
function linesHelp(nullable: boolean): string {
  return nullable ? "One per line. Enter none for an empty list." : "One per line.";
}

/** Renders a note if there is nothing to choose. */
function NothingToChoose({ label }: { label: string }): Html {
  return (
    <div class="field">
      <span class="label">{label}</span>
      <small>Nothing to choose from yet.</small>
    </div>
  );
}

/** Returns stored values of a custom field that its choices do not contain any more: saving the form keeps them. */
function formerChoices(
  field: Field,
  value: string | readonly string[],
  known: readonly SelectOption[],
): SelectOption[] {
  if (!isCustomMember(field) || field.labels === undefined) return [];
  const former = [value].flat().filter((one) => one !== "" && !known.some(([choice]) => choice === one));
  return former.map((one) => [one, `${one} (no longer a choice)`]);
}

function optionOf({ labels = {} }: Field): (value: string) => SelectOption {
  return (value) => [value, labels[value] ?? (value === "" ? "–" : wordsOf(value))];
}

/** Returns whether a text often has several lines, which a control with a single line would join. */
function isLong(field: Field, maxLength: number | undefined): boolean {
  return field.long || field.markdown === true ||
    (maxLength !== undefined && maxLength > LINE_CHARS &&
      /description|notes|comment|reason|template/.test(field.name));
}
