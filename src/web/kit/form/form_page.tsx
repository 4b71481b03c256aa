/** Pages with one form, and buttons that post. */

import { AppError, type AppErrorCode, type FieldErrors } from "../../../base/errors.ts";
import type { Resource } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { fieldErrorsOf } from "../../messages.ts";
import { objectPath } from "../../paths.ts";
import { page } from "../../shell/mod.ts";
import { type Content, ErrorSummary, Form, type Html, Icon, type IconName } from "../components/mod.ts";
import { mayActOn } from "../detail/permitted_actions.ts";

/** Values that a form sends unseen. */
type Hidden = Readonly<Record<string, string | number | readonly number[]>>;

/** A page with one form. */
interface FormPage {
  readonly title: string;
  readonly above: readonly (readonly [label: string, path: string])[];
  /** Path to which the form is posted. */
  readonly action: string;
  readonly hidden?: Hidden;
  /** Whether the form has files. */
  readonly files?: boolean;
  /** Errors of a refusal. */
  readonly errors?: FieldErrors | undefined;
  /** Fields that show their own errors. */
  readonly shown?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  /** The button, or its label. */
  readonly submit: Content;
  /** Path of "Cancel". */
  readonly back: string;
}

/** Renders the page, again with the errors of a refusal. */
export function formPage(call: Call, given: FormPage, fields: Content): Response {
  const { action, hidden = {}, errors = {}, shown = [], labels = {}, submit, back, files = false } = given;
  return page(
    call,
    given,
    <div class="box form">
      <Form call={call} action={action} files={files}>
        <ErrorSummary errors={errors} shown={shown} labels={labels} />
        <HiddenInputs values={hidden} />
        {fields}
        <div class="form-actions">
          {typeof submit === "string" ? <button type="submit">{submit}</button> : submit}
          <a href={back}>Cancel</a>
        </div>
      </Form>
    </div>,
  );
}

function HiddenInputs({ values }: { values: Hidden }): Html {
  return (
    <>
      {Object.entries(values).map(([name, value]) => (
        <input
          type="hidden"
          name={name}
          value={String(value)}
        />
      ))}
    </>
  );
}

/** Runs the action of a form; shows the form again with the errors of a refusal, by default of invalid input. */
export async function orAgain<Result>(
  work: () => Promise<Result>,
  show: (errors: FieldErrors) => Response | Promise<Response>,
  codes: readonly AppErrorCode[] = ["invalid"],
): Promise<Result | Response> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || !codes.includes(error.code)) throw error;
    return await show(fieldErrorsOf(error));
  }
}

/** What a button posts, and how it looks. */
interface ButtonProps {
  readonly label: string;
  readonly icon?: IconName;
  readonly class?: "secondary" | "secondary small" | undefined;
  readonly hidden?: Hidden;
  /** Default: the label. */
  readonly spoken?: string;
}

/** Renders a button that posts to `action`. */
export function PostButton(
  { call, action, label, icon, class: look, hidden = {}, spoken }: ButtonProps & {
    call: Call;
    action: string;
  },
): Html {
  return (
    <Form call={call} action={action} class="inline">
      <HiddenInputs values={hidden} />
      <button
        type="submit"
        {...(look === undefined ? {} : { class: look })}
        {...(spoken === undefined ? {} : { "aria-label": spoken })}
      >
        {icon === undefined ? null : <Icon name={icon} />}
        {label}
      </button>
    </Form>
  );
}

/**
 * Renders a button that posts to a `path` below that of an object, for users who may perform the action (`change`) on it.
 * At most one statement.
 */
export async function objectButton(
  call: Call,
  resource: Resource,
  { id, may, path, ...props }: ButtonProps & { id: number; may: string; path: string },
): Promise<Html | null> {
  if (!await mayActOn(call, resource, { action: may, id })) return null;
  return <PostButton call={call} action={`${objectPath(resource, id)}${path}`} {...props} />;
}

type Link = readonly [path: string, label: string];

/** Renders a menu of less frequent actions; the last one destroys something. */
export function MoreMenu(
  { links, dangerous }: { links: readonly Link[]; dangerous?: Link | undefined },
): Html {
  return (
    <details class="menu">
      <summary role="button" class="secondary">More</summary>
      <div>
        <ul>
          {[...links, ...(dangerous === undefined ? [] : [dangerous])].map((link) => (
            <li>
              <a href={link[0]} {...(link === dangerous ? { class: "dangerous" } : {})}>{link[1]}</a>
            </li>
          ))}
        </ul>
      </div>
    </details>
  );
}
