/** Notes about an object: its texts in Markdown and its custom fields. */

import {
  type CustomMember,
  memberValue,
  type Out,
  type Resource,
  visibleMembersOf,
} from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { type Html, Markdown, Property, PropertyList } from "../components/mod.ts";
import { labelOf } from "../../messages.ts";
import { valueOf } from "./value.tsx";

/** Renders a section for each text in Markdown that is not empty. */
export function NoteSections({ resource, object }: { resource: Resource; object: Out }): Html {
  const fields = Object.values(resource.fields).filter(({ name, shown: { markdown } = {} }) =>
    markdown === true && typeof object[name] === "string" && object[name] !== ""
  );
  return (
    <>
      {fields.map(({ name }) => (
        <section class="box">
          <h2>{labelOf(name)}</h2>
          <Markdown text={String(object[name])} />
        </section>
      ))}
    </>
  );
}

/** Inputs of sections about custom fields. */
interface CustomFieldProps {
  readonly call: Call;
  readonly resource: Resource;
  readonly object: Out;
}

/** Renders the custom fields of an object that are in no group, as entries of a property list. */
export function CustomProperties({ call, resource, object }: CustomFieldProps): Html {
  const ungrouped = shortMembers(call, { resource, object }).filter(({ custom }) => custom.group === "");
  return <>{ungrouped.map(entryOf(object))}</>;
}

/** Renders a section for each group of custom fields, and for each with a long text that is not empty. */
export function CustomSections({ call, resource, object }: CustomFieldProps): Html {
  const grouped = shortMembers(call, { resource, object }).filter(({ custom }) => custom.group !== "");
  const long = visibleMembersOf(call.ctx.database, resource.objectType).filter((member) =>
    member.shown?.markdown === true && (memberValue(object, member) ?? "") !== ""
  );
  return (
    <>
      {[...Map.groupBy(grouped, ({ custom }) => custom.group)].map(([group, members]) => (
        <section class="box">
          <h2>{group}</h2>
          <PropertyList>{members.map(entryOf(object))}</PropertyList>
        </section>
      ))}
      {long.map((member) => (
        <section class="box">
          <h2>{member.shown.label}</h2>
          <Markdown text={String(memberValue(object, member))} />
        </section>
      ))}
    </>
  );
}

function shortMembers({ ctx }: Call, { resource, object }: Omit<CustomFieldProps, "call">): CustomMember[] {
  return visibleMembersOf(ctx.database, resource.objectType).filter((member) =>
    member.shown?.markdown !== true &&
    (member.custom.visible === "always" || memberValue(object, member) !== null)
  );
}

function entryOf(object: Out): (member: CustomMember) => Html {
  return (member) => (
    <Property name={member.shown.label} help={member.description}>
      {valueOf(member, memberValue(object, member))}
    </Property>
  );
}
