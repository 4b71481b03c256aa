/** Findings: what checks of data return, as codes with parameters. Interfaces render their sentences. */

import { type Code, type Message, type Params, sentence, type Wording } from "../messages/mod.ts";

/** Name of the field under which findings about several fields stand. */
export const ALL_FIELDS = "__all__";

/** What is wrong with a value of a request. */
export interface Finding extends Message {
  /** Name of the field. Missing until the check of the field adds it, and about a request as a whole. */
  readonly field?: string;
  /** Where in the value of the field: positions in lists, names of members. */
  readonly path?: readonly PropertyKey[];
  /** Row of a table, of which the first is 1; 0 is the table as a whole. Missing if it is known otherwise. */
  readonly row?: number;
}

/** Messages by field name, as interfaces show them. Those under `__all__` concern several fields. */
export type FieldErrors = Record<string, string[]>;

/** Adds a message about a field of a form. */
export function addText(errors: FieldErrors, field: string, text: string): void {
  errors[field] = [...Object.hasOwn(errors, field) ? errors[field] ?? [] : [], text];
}

/** The parameters of a code, which may be left out if none is required. */
export type Given<Of extends Code> = Record<never, never> extends Params<Of> ? [params?: Params<Of>]
  : [params: Params<Of>];

/** Returns a finding. */
export function finding<const Of extends Code>(code: Of, ...[params]: Given<Of>): Finding {
  return { code, params: params ?? {} };
}

/** Returns a finding about a field. */
export function findingAt<const Of extends Code>(
  field: string,
  code: Of,
  ...given: Given<Of>
): Finding & { readonly field: string } {
  return { ...finding(code, ...given), field };
}

/** Adds a finding about a field. */
export function addFinding(findings: Finding[], field: string, one: Finding): void {
  findings.push({ ...one, field });
}

/** Maximum number of findings about the members of a list. */
const MAX_OF_LIST = 20;

/** Adds findings about wrong members of a list in a field: of the first ones, and how many more there are. */
export function addSome<Member>(
  findings: Finding[],
  field: string,
  { wrong, reason }: { wrong: readonly Member[]; reason: (member: Member) => Finding },
): void {
  for (const one of wrong.slice(0, MAX_OF_LIST)) addFinding(findings, field, reason(one));
  const count = wrong.length - MAX_OF_LIST;
  if (count > 0) addFinding(findings, field, finding("more_findings", { count }));
}

/** Adds a finding about a field, unless the field already has the same. */
export function addOnce(findings: Finding[], field: string, one: Finding): void {
  const key = encoded(one);
  if (!findings.some((each) => each.field === field && encoded(each) === key)) {
    addFinding(findings, field, one);
  }
}

/** Returns whether any finding is about a field. */
export function concerns(findings: readonly Finding[], field: string): boolean {
  return findings.some((one) => one.field === field);
}

/** Returns the sentence of a finding. About a member of a list or object it begins with its place: `Entry 2: …`. */
export function textOf({ path = [], ...message }: Finding, wording?: Wording): string {
  const text = sentence(message, wording);
  const [first, ...rest] = path;
  if (first === undefined) return text;
  if (typeof first !== "number") return `${path.map(String).join(".")}: ${text}`;
  return `Entry ${first + 1}${rest.length === 0 ? "" : `, ${rest.map(String).join(".")}`}: ${text}`;
}

/** Returns the sentences of findings by field. */
export function textsByField(findings: readonly Finding[], wording?: Wording): FieldErrors {
  const groups = Map.groupBy(findings, ({ field = ALL_FIELDS }) => field);
  // Names come from requests. Unlike an assignment, `fromEntries` gives `__proto__` no special meaning.
  return Object.fromEntries(
    [...groups].map(([field, all]) => [field, all.map((one) => textOf(one, wording))]),
  );
}

/** A finding in a row of a table, as the API shows it. */
export interface RowMessage {
  readonly row: number;
  readonly field: string;
  readonly message: string;
}

/** Returns what is found in the rows of a table, ordered by row and grouped by field. */
export function rowMessages(findings: readonly Finding[]): RowMessage[] {
  const groups = Map.groupBy(findings, ({ row, field }) => JSON.stringify([row, field]));
  return [...groups.values()].flat()
    .map((one) => ({ row: one.row ?? 0, field: one.field ?? ALL_FIELDS, message: textOf(one) }))
    .sort((a, b) => a.row - b.row);
}

/** Returns findings in the value of a field that names fields itself, such as a filter; each with the quoted name. */
export function within(findings: readonly Finding[], quote: (name: string) => string): Finding[] {
  return findings.map(({ field = ALL_FIELDS, path = [], ...one }) => ({
    ...one,
    path: field === ALL_FIELDS ? path : [quote(field), ...path],
  }));
}

/** Maximum number of findings in a response, because a crafted body could cause millions. */
export const MAX_FINDINGS = 100;

/** Keeps the first findings, and adds the number of the others. */
export function cappedFindings(findings: readonly Finding[], most = MAX_FINDINGS): readonly Finding[] {
  if (findings.length <= most) return findings;
  const kept: Finding[] = [];
  for (const group of Map.groupBy(findings, ({ field = ALL_FIELDS }) => field).values()) {
    const left = most - kept.length;
    if (left <= 0) break;
    // The last finding often explains why validation stopped.
    kept.push(...(group.length > left ? [...group.slice(0, left), ...group.slice(-1)] : group));
  }
  const count = findings.length - kept.length;
  return count === 0 ? findings : [...kept, { ...finding("more_findings", { count }), field: ALL_FIELDS }];
}

/** Returns a finding as the message of a zod issue, which has no place for a code; {@link ofIssue} reads it. */
export function issue<const Of extends Code>(code: Of, ...params: Given<Of>): string {
  return encoded(finding(code, ...params));
}

/** Returns a finding as the message of a zod issue. */
export function encoded({ code, params, path }: Finding): string {
  return JSON.stringify({ code, params, path });
}

/** Returns the finding of a zod issue. */
export function ofIssue({ message, path }: { message: string; path: readonly PropertyKey[] }): Finding {
  const one: Finding = message.startsWith('{"code":')
    ? JSON.parse(message)
    : finding("text", { text: message });
  return path.length === 0 ? one : { ...one, path };
}

/** Returns the findings of the value of a field, each once, and of a list only some. */
export function ofIssues(
  { issues }: { issues: readonly Parameters<typeof ofIssue>[0][] },
  field: string,
): Finding[] {
  const findings: Finding[] = [];
  const found = issues.map(ofIssue);
  const wrong = [...new Map(found.map((one) => [textOf(one), one])).values()];
  addSome(findings, field, { wrong, reason: (one) => one });
  return findings;
}
