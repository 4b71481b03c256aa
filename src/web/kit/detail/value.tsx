/** Shows values of fields. */

import { isDictionary } from "../../../filters/mod.ts";
import { numberText } from "../../../base/amounts.ts";
import { type Field, type Out, shapeOf, type Values } from "../../../resource/mod.ts";
import {
  Badge,
  BreakableName,
  type Content,
  type Html,
  Joined,
  Name,
  Time,
  truncate,
  YesNo,
} from "../components/mod.ts";
import { pathOfUrl } from "../../paths.ts";
import { shortName } from "../reference/reference_text.ts";
import type { View } from "../view.ts";

/** Maximum length of texts that are not collapsed. */
const LONG_TEXT = 300;

/** Returns whether a value is the brief form of an object. */
export function isBrief(value: unknown): value is Readonly<Values> & { readonly display: string } {
  return isDictionary(value) && typeof value.display === "string";
}

/** Renders a value with the label of the view, if it has one. */
export function displayValue(
  { fields = {} }: Pick<View, "fields">,
  field: Field,
  value: unknown,
): Content {
  const own = fields[field.name];
  if (value !== null && own?.text !== undefined) return <bdi>{own.text(value)}</bdi>;
  const labels = own?.choices?.();
  if (labels === undefined) return valueOf(field, value);
  const labelled = (one: unknown): string => labels.find(([key]) => key === String(one))?.[1] ?? String(one);
  return Array.isArray(value)
    ? <ItemList items={value.map(labelled)} />
    : valueOf(field, value === null ? null : labelled(value));
}

/** Renders a value by the type of its field. */
export function valueOf(field: Field, value: unknown): Content {
  if (value === null || value === undefined || value === "") return "";
  switch (shapeOf(field).kind) {
    case "reference":
      return ObjectLink({ brief: value });
    case "references":
      return (
        <Joined
          items={[value].flat().map((one: unknown) => (
            <>
              <Swatch color={isBrief(one) ? one.color : undefined} />
              <ObjectLink brief={one} />
            </>
          ))}
        />
      );
    case "choice":
      if (field.shown?.labels !== undefined) return <bdi>{labelOfChoice(field, value)}</bdi>;
      return Badge({ value: String(value) });
    case "boolean":
      return YesNo({ value: value === true });
    case "datetime":
      return Time({ at: String(value) });
    case "list":
      return (
        <ItemList
          items={[value].flat().map((one: unknown) =>
            field.shown?.labels === undefined ? one : labelOfChoice(field, one)
          )}
        />
      );
    case "url":
      return <WebLink address={String(value)} />;
    case "object":
      return <code class="clip">{JSON.stringify(value)}</code>;
    default:
      if (/(?:^|_)email$/.test(field.name) && value !== "") {
        return <MailLink address={String(value)} />;
      }
      return field.shown?.notation === "color"
        ? (
          <>
            <Swatch color={value} />#{String(value)}
          </>
        )
        : Text({ text: String(value) });
  }
}

/** Renders a square of a color in hexadecimal digits; nothing for other values. Pages have no inline styles. */
function Swatch({ color }: { color: unknown }): Html | null {
  if (typeof color !== "string" || !/^[0-9a-f]{6}$/i.test(color)) return null;
  return (
    <svg class="swatch" viewBox="0 0 10 10" width="10" height="10" aria-hidden="true" focusable="false">
      <rect width="10" height="10" rx="2" fill={`#${color}`} />
    </svg>
  );
}

function labelOfChoice({ shown: { labels = {} } = {} }: Field, value: unknown): string {
  return isDictionary(value) ? String(value.label) : labels[String(value)] ?? String(value);
}

/** Renders a URL of another site. */
function WebLink({ address }: { address: string }): Html {
  if (!/^https?:\/\//i.test(address)) return <Text text={address} />;
  return <a href={address} rel="noopener noreferrer nofollow">{truncate(address, LONG_TEXT)}</a>;
}

/**
 * Renders an object's name as a link, or another text in its place. A list truncates names that do not fit the column;
 * the title has the complete name.
 */
export function ObjectLink({ brief, shown }: { brief: unknown; shown?: string }): Html {
  if (!isBrief(brief)) return <>{String(brief)}</>;
  const { url, display } = brief;
  const path = typeof url === "string" ? pathOfUrl(url) : undefined;
  const name = shown ?? shortName(display);
  return path === undefined ? <>{name}</> : (
    <a
      href={path}
      class="object"
      title={display.length > SHORT_NAME ? truncate(display, 500) : undefined}
    >
      {Name({ text: name })}
    </a>
  );
}

/** Renders links to objects, joined by commas; beyond `most`, the number of the others. */
export function ObjectLinks(
  { briefs, most = briefs.length }: { briefs: readonly unknown[]; most?: number },
): Html {
  const items = briefs.slice(0, most).map((brief) => ObjectLink({ brief }));
  return <Joined items={items} others={briefs.length - items.length} />;
}

/** Names of up to this number of characters fit a column. */
const SHORT_NAME = 14;

function ItemList({ items }: { items: readonly unknown[] }): Html {
  const texts = items.map((item) => typeof item === "object" ? JSON.stringify(item) : String(item));
  if (texts.join(", ").length <= LONG_TEXT) return <Text text={texts.join(", ")} />;
  return (
    <details>
      <summary>{numberText(texts.length)} entries</summary>
      <ul>
        {texts.map((text) => (
          <li>
            <bdi>{text}</bdi>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Renders free text; long text is collapsed. `bdi` isolates right-to-left text from its surroundings. */
export function Text({ text }: { text: string }): Html {
  if (text.length <= LONG_TEXT) {
    return (
      <bdi>
        <BreakableName text={text} />
      </bdi>
    );
  }
  return (
    <details>
      <summary>
        <bdi>{truncate(text)}</bdi>
      </summary>
      <bdi>{text}</bdi>
    </details>
  );
}

/** Number of objects that are named. */
const SHOWN = 20;

/** Renders links to the first objects, and the number of further ones. */
export function ObjectNames({ objects }: { objects: readonly Pick<Out, "url" | "display">[] }): Html {
  return (
    <ul>
      {objects.slice(0, SHOWN).map((brief) => (
        <li>
          <ObjectLink brief={brief} />
        </li>
      ))}
      {objects.length > SHOWN ? <li>and {numberText(objects.length - SHOWN)} more</li> : null}
    </ul>
  );
}

/** Renders a link that opens the user's mail program. */
export function MailLink({ address }: { address: string }): Html {
  return (
    <a href={`mailto:${encodeURIComponent(address).replace("%40", "@")}`}>
      <Text text={address} />
    </a>
  );
}
