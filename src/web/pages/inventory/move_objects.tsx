/** Moves the objects of a tenant to another tenant: the page, and the action. */

import { counted, listText, numberText } from "../../../base/amounts.ts";
import { AppError, type FieldErrors, forbidden, invalid } from "../../../base/errors.ts";
import { MAX_BULK_OBJECTS } from "../../../base/limits.ts";
import { tenants } from "../../../domain/inventory/mod.ts";
import { movableReferrers, moveTenantObjects } from "../../../domain/inventory/moving/mod.ts";
import { resourceOf } from "../../../domain/registry.ts";
import {
  type AnyObject,
  countDependents,
  type CountedDependent,
  getObject,
  type Resource,
} from "../../../resource/mod.ts";
import { type Call, idOf } from "../../call.ts";
import { EmptyState, ErrorSummary, Form, type Html, isolate, TextField } from "../../kit/components/mod.ts";
import { textOf } from "../../forms.ts";
import { fieldErrorsOf } from "../../messages.ts";
import { CountedKinds, may, postedReference, preventing, referenceControl } from "../../kit/mod.ts";
import { listPath, objectPath } from "../../paths.ts";
import { attempt, done, warned } from "../../responses.ts";
import { page } from "../../shell/mod.ts";
import { countedObjects, pluralOf } from "../../type_label.ts";

/** Labels of the fields. */
const LABELS = { target: "New tenant", changelog_message: "Comment" } as const;
/** Fields of the form that show their own errors. */
const SHOWN = Object.keys(LABELS);

/** Path of the page, after that of the tenant. */
export const MOVE_PATH = "move-objects/";

/** Renders the link to the page, for users who may change any kind of objects that belong to tenants. */
export function moveLink(call: Call, { id }: Pick<AnyObject, "id">, label: string): Html | null {
  if (!mayMove(call)) return null;
  return <a role="button" class="secondary" href={`${objectPath(tenants, id)}${MOVE_PATH}`}>{label}</a>;
}

function mayMove(call: Call): boolean {
  return movableReferrers().some(({ resource }) => may(call, resource, "change"));
}

/** Shows what belongs to a tenant, and asks for the tenant to which to move it. */
export async function movePage(call: Call, errors: FieldErrors = {}): Promise<Response> {
  const { ctx } = call;
  const id = idOf(call);
  const selection = { brief: false, omit: [], long: false, fields: ["id", "display"] };
  const { object } = await getObject({ ctx, resource: tenants, id, selection });
  const found = preventing(await countDependents(ctx, tenants, [id]));
  const name = object.display;
  const back = objectPath(tenants, id);
  return page(
    call,
    {
      title: `Move objects of ${isolate(name)}`,
      above: [["Tenants", listPath(tenants)], [name, back]],
      ...(Object.keys(errors).length > 0 ? { status: 400 } : {}),
    },
    <div class="box form">
      <ErrorSummary errors={errors} shown={SHOWN} labels={LABELS} />
      {found.length === 0
        ? (
          <EmptyState text="Nothing that you may view belongs to this tenant.">
            <a href={back}>Back to the tenant</a>
          </EmptyState>
        )
        : (
          <>
            <p>These objects will belong to another tenant:</p>
            <CountedKinds resource={tenants} ids={[id]} found={found} />
            {await MoveForm({ call, found, errors, back })}
          </>
        )}
    </div>,
  );
}

async function MoveForm(
  { call, found, errors, back }: {
    call: Call;
    found: readonly CountedDependent[];
    errors: FieldErrors;
    back: string;
  },
): Promise<Html> {
  const fixed = found.filter(({ resource }) => !may(call, resource, "change"));
  if (fixed.length > 0) {
    return (
      <>
        <p>
          You may not change{" "}
          {listText(fixed.map(({ resource }) => pluralOf(resource)), "or")}, so they cannot be moved together.
          Edit the others in their lists.
        </p>
        <p class="form-actions">
          <a role="button" class="secondary" href={back}>Back</a>
        </p>
      </>
    );
  }
  const total = found.reduce((sum, { count }) => sum + count, 0);
  const several = total > MAX_BULK_OBJECTS;
  return (
    <Form call={call} action={`${back}${MOVE_PATH}`}>
      {several
        ? (
          <p>
            At most {numberText(MAX_BULK_OBJECTS)}{" "}
            objects are moved at a time, in this order. Repeat it for the rest.
          </p>
        )
        : null}
      <p class="faint">
        Filters of permissions, subscriptions and saved views that name this tenant do not change.
        {call.ctx.actor.isSuperuser ? "" : " Objects that you may not view stay with this tenant."}
      </p>
      {await referenceControl(call, tenants, {
        name: "target",
        label: LABELS.target,
        required: true,
        errors,
      })}
      <TextField
        name="changelog_message"
        label={LABELS.changelog_message}
        help="Kept in the change log."
        value={textOf(call.form, "changelog_message")}
        errors={errors}
      />
      <div class="form-actions">
        <button type="submit">
          Move {several ? `the first ${numberText(MAX_BULK_OBJECTS)} objects` : counted(total, "object")}
        </button>
        <a href={back}>Cancel</a>
      </div>
    </Form>
  );
}

/** Moves the objects; shows the form again if its input is invalid. */
export async function moveObjects(call: Call): Promise<Response> {
  if (!mayMove(call)) throw forbidden();
  const id = idOf(call);
  const back = objectPath(tenants, id);
  try {
    const chosen = await postedReference(call, [tenants], "target");
    if (chosen === undefined) throw invalid({ target: ["Choose a tenant."] });
    const target = chosen.id;
    const again = `${back}${MOVE_PATH}?target=${target}`;
    return await attempt({ call, back: again, codes: ["forbidden", "conflict", "too_large"] }, async () => {
      const { moved, left_count: left } = await moveTenantObjects({
        ctx: call.ctx,
        id,
        input: { target, changelog_message: textOf(call.form, "changelog_message") },
      });
      if (moved.length === 0) return done(call, back, "Nothing was left to move.");
      const kinds = moved.map(({ object_type, count }) =>
        countedObjects(resourceOf(object_type) as Resource, count)
      );
      const text = `Moved: ${kinds.join(", ")}.`;
      if (left === 0) return done(call, back, text);
      return warned(
        call,
        again,
        `${text} ${counted(left, "object")} ${left === 1 ? "is" : "are"} left. Move them as well.`,
      );
    });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid") throw error;
    return await movePage(call, fieldErrorsOf(error));
  }
}
