/** The view of a resource: how pages show it, in addition to its definition. */

import type { FieldErrors } from "../../base/errors.ts";
import type { FieldMap } from "../../filters/mod.ts";
import type { Identity, NameOf, Out, Resource, Values } from "../../resource/mod.ts";
import type { Call } from "../call.ts";
import { type Column, type Content, type SelectOption, truncate } from "./components/mod.ts";
import type { Parts } from "./form/parts.ts";
import type { PermittedActions } from "./detail/permitted_actions.ts";
import type { Defaults } from "./list/tabs.tsx";

/** Values of a form by field; fields with several choices have several texts. */
export type FormState = Readonly<Record<string, string | readonly string[]>>;

/** A section of a form. */
export interface Fieldset<Name extends string = string> {
  /** Heading; empty for none, if the title of the form says it already. */
  readonly title: string;
  /** What users should know before they fill it in. */
  readonly about?: string;
  readonly fields: readonly Name[];
  /** Whether it is collapsed while its fields are empty. */
  readonly folded?: boolean;
  /**
   * The field that these fields replace. If all are empty, only this field has an error; if it has a value, they are read
   * from it, and stay collapsed.
   */
  readonly insteadOf?: Name;
}

/** A column of a list: what differs from the column of the field of its name, or all of a column without a field. */
export interface ColumnOf<Of = Out> extends Partial<Column<Of>> {
  readonly name: string;
  /** Other fields that it reads. */
  readonly needs?: readonly string[];
  /** Whether it is shown if its value is empty in all rows; default: if it is a field with a separate `cell`. */
  readonly stays?: true;
}

/** A column of a list; a text is the name of a field. */
export type ViewColumn<Of = Out> = string | ColumnOf<Of>;

/** The first column of a list, with the name. */
export interface NameColumn<Of> {
  /** Default: the label of the resource. */
  readonly label?: string;
  /** Fields that are read for it; the first one sorts the list. */
  readonly needs?: readonly string[];
  /** Default: the title of the object. */
  of?(object: Of): string;
  /** Path to which it links; undefined for no link. Default: the page of the object. */
  path?(object: Of): string | undefined;
}

/** Parts of a list, offered as tabs before "All". */
export interface Tabs {
  /** Label and filters; a filter with several values accepts any. */
  readonly parts:
    readonly (readonly [label: string, filters: Readonly<Record<string, string | readonly string[]>>])[];
  /** Whether the tabs show how many objects they have, with one statement for each tab that is not open. */
  readonly counted?: true;
  /** Whether the list opens with its first tab, until something else is chosen. */
  readonly first?: true;
}

/** The default filters of a list. */
export interface Scope {
  /** Adds the filters; returns false if the parameters have such filters themselves. */
  add(params: URLSearchParams): boolean;
  /** Label of the switch that removes them, if there is one. */
  readonly label?: string;
}

/** The fields and the notation of filters in a text field. */
export interface FilterPicker {
  /** Returns the fields; undefined until the filtered type is known. */
  readonly map: (call: Call, state: FormState) => FieldMap | undefined;
  /** As in a URL, as a JSON object, or as a JSON object with the lookups of constraints. */
  readonly notation: "query" | "json" | "constraint";
  /** Returns the filtered list, in which the form counts the matches. */
  readonly list?: (state: FormState) => Resource | undefined;
  /** Returns what the list adds to a query, so that the form counts what the list shows. */
  readonly withDefaults?: (state: FormState) => Defaults | undefined;
  /** Returns the labels of the list's columns; default: made from their names. */
  readonly columnLabels?: (call: Call, state: FormState) => ReadonlyMap<string, string> | undefined;
  /** Heading of the rows; default: the label of the field. */
  readonly label?: string;
  /** Fields on which the fields of the filters depend. */
  readonly dependsOn?: readonly string[];
  /** Fields that are folded with the text. */
  readonly also?: readonly string[];
}

/** Usual values of a field with a list of texts. */
export interface Proposals {
  /** Loads what the form offers, with a constant number of statements. */
  readonly load: (call: Call) => LoadedProposals | Promise<LoadedProposals>;
  /** Returns the value for a text that a user has typed: `45d` for `45 days`. */
  readonly read?: (text: string) => string;
}

/** What a form offers for a list of texts. */
export interface LoadedProposals {
  readonly options: readonly SelectOption[];
  /** Label of the field for other values. */
  readonly other: string;
  readonly placeholder: string;
}

/** A fact on the page of an object: label and content; null if it is not set. */
export type Fact = readonly [label: string, content: Content | null];

/** A list of other objects: label, path, and a function that adds the default filters of the list. */
export type RelatedList = readonly [label: string, path: string, add?: (params: URLSearchParams) => void];

/** How pages show and edit a field. */
export interface FieldView {
  /** Help text, if the description is about the API; empty for none. */
  readonly help?: string;
  /** Choices of a field or a filter whose definition has none. */
  readonly choices?: () => readonly SelectOption[];
  /** Returns the text for a value: "every 7 days" for 10080. */
  text?(value: unknown): string;
  /** Label of the empty choice. */
  readonly blank?: string;
  /** Loads texts that the form suggests for any text, with a constant number of statements. */
  readonly suggestions?: (call: Call) => Promise<readonly string[]>;
  /** Usual values of a list of any texts. */
  readonly proposals?: Proposals;
  /** The control that writes filters as text for the user. */
  readonly picker?: FilterPicker;
  /** Whether the form also takes the text of the field from a file. */
  readonly file?: true;
  /** Content under its control in the form. */
  readonly note?: (call: Call, state: FormState) => Slot;
  /**
   * Whether it can be edited for several objects together, as the tenant and the tags can: choices, references and short
   * texts with one value.
   */
  readonly together?: true;
}

/** The form of an object. */
export interface FormView<Name extends string = string> {
  /** Its fields, in order; default: all writable fields. */
  readonly fields?: readonly Name[];
  /** Its sections, in order. Fields that are in none of them come before the collapsed ones. */
  readonly sections?: readonly Fieldset<Name>[];
}

/** What the form of a new object adds to it. */
export interface CreateSlots<Of> {
  /** Renders content above the form. */
  readonly above?: () => Slot;
  /** Values that the URL does not give. */
  readonly values?: FormState;
  /** Fields that only the form of an existing object has. */
  readonly without?: readonly string[];
  /** The preview before it is created: the label of its button, and what the form then shows. */
  readonly preview?: { readonly label: string; readonly show: (state: FormState) => Promise<FormPreview> };
  /** Rewrites the input. Errors: invalid. */
  readonly inputOf?: (input: Readonly<Values>) => Promise<Values>;
  /** Returns what is shown after creation, such as a secret. */
  created?(object: Of): Response | undefined;
}

type Slot = Content | Promise<Content>;

/** What the page of one object adds to its fields; loaded together. */
export interface DetailSlots {
  /** More buttons. */
  readonly actions?: Slot;
  /** Lists of other objects that belong to it. */
  readonly related?: readonly RelatedList[];
  /** Content above the fields. */
  readonly lead?: Slot;
  /** Facts before the fields. */
  readonly facts?: readonly Fact[] | Promise<readonly Fact[]>;
  /** Fields that are not shown. */
  readonly without?: readonly string[];
  /** Sections below the fields. */
  readonly sections?: Slot;
}

/** What a form shows of an object before it is created, or the errors of its fields. */
export interface FormPreview {
  readonly content: Content;
  readonly errors: FieldErrors;
}

/** The pages of one resource. `Of` is the type of its objects. */
export interface View<Of extends Identity = Out> {
  readonly resource: Resource<Of>;
  readonly name?: NameColumn<Of>;
  /** Columns of the list, in addition to the name, in their order. */
  readonly columns: readonly ViewColumn<Of>[];
  /** Names of those that are shown unless a user has chosen others; default: all. */
  readonly usual?: readonly string[];
  /**
   * Adds values to the rows of the list that its columns need and objects do not have, with a constant number of
   * statements.
   */
  withMore?(call: Call, rows: readonly Of[], columns: readonly string[]): Promise<readonly Of[]>;
  /** Order of the list; default: that of the API. */
  readonly ordering?: string | ((params: URLSearchParams) => string);
  /** Filters that have a field in the filter form. */
  readonly filters: readonly string[];
  readonly tabs?: Tabs;
  readonly scope?: Scope;
  /** Title of an object, if `display` is not sufficient, and the fields that it reads. */
  readonly title?: { readonly needs: readonly string[]; of(object: Of): string };
  /** Fields that pages show or edit in another way than their definition says; also filters with choices. */
  readonly fields?: Readonly<Record<string, FieldView>>;
  readonly form?: FormView;
  /** What the form of a new object adds to it. */
  create?(call: Call): CreateSlots<Of>;
  /** What the page of one object adds to its fields. */
  detail?(call: Call, object: Of, permitted: PermittedActions): DetailSlots;
  /** Text of the empty list: what to do next. */
  readonly empty: string;
  /** A field with an object whose members the form shows one by one. */
  readonly parts?: Parts;
}

/** The names of fields in a view. */
interface Names<Of> {
  readonly columns: readonly (NameOf<Of> | ColumnOf<Of>)[];
  readonly form?: FormView<NameOf<Of>>;
  /** Also filters with choices, and members of objects (`criteria.filter`). */
  readonly fields?:
    & { readonly [Name in NameOf<Of>]?: FieldView }
    & { readonly [name: `${string}_id` | `${string}.${string}`]: FieldView };
}

/** Types the functions of a view, and its names of fields, by the objects of its resource. */
export function defineView<Of extends Identity>(view: Omit<View<Of>, "fields"> & Names<NoInfer<Of>>): View {
  return view;
}

/** Maximum length of a title. */
const NAME_CHARS = 150;

/** Returns the title of an object, in one line. */
export function objectTitle({ title }: Pick<View, "title">, object: Out): string {
  return truncate(title?.of(object) ?? object.display, NAME_CHARS);
}

/** Fields of every object. */
export const BRIEF_FIELDS = ["id", "url", "display"] as const;

/** Returns the fields that a title reads. */
export function nameFields({ title }: Pick<View, "title">): readonly string[] {
  return [...BRIEF_FIELDS, ...title?.needs ?? []];
}
