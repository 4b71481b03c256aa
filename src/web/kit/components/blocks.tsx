/** Small parts of pages: empty states, properties, lists in a sentence, choices, texts to copy, warnings, icons, Markdown. */

import MarkdownIt from "markdown-it";
import type { Content, Html } from "./html.ts";
import { numberText } from "../../../base/amounts.ts";
import { Icon } from "./icon.tsx";
import { BreakableName } from "./name.tsx";
import { type Column, Table } from "./table.tsx";

/** Renders a message with actions below it. */
export function EmptyState({ text, children }: { text: string; children?: Content }): Html {
  return (
    <div class="empty">
      <p>{text}</p>
      {children === undefined ? null : <div class="actions">{children}</div>}
    </div>
  );
}

/** Renders a list of properties. */
export function PropertyList({ children }: { children: Content }): Html {
  return <dl class="facts">{children}</dl>;
}

/** Renders a property; a dash if it has no value. */
export function Property(
  { name, help, children }: { name: string; help?: string; children?: Content },
): Html {
  const nothing = children === undefined || children === null || children === "";
  return (
    <div>
      <dt title={help}>{name}</dt>
      <dd>{nothing ? <span class="faint">–</span> : children}</dd>
    </div>
  );
}

/** Renders items with a separator between them, and the number of others that are not shown. */
export function Joined(
  { items, separator = ", ", last = separator, others = 0 }: {
    items: readonly Content[];
    separator?: string;
    /** The separator before the last item. */
    last?: string;
    others?: number;
  },
): Html {
  return (
    <>
      {items.map((item, index) => (
        <>
          {index === 0 ? "" : index === items.length - 1 ? last : separator}
          {item}
        </>
      ))}
      {others > 0 ? ` and ${numberText(others)} more` : ""}
    </>
  );
}

/** Renders a link for each choice. */
export function Choice(
  { label, choices, chosen }: {
    label: string;
    choices: readonly { readonly name: string; readonly label: string; readonly path: string }[];
    chosen: string;
  },
): Html {
  return (
    <nav class="choice" aria-label={label}>
      {choices.map(({ name, label, path }) => (
        <a href={path} aria-current={name === chosen ? "true" : undefined}>{label}</a>
      ))}
    </nav>
  );
}

/** Renders a long text in a box with a button that copies it. */
export function Copyable(
  { text, label, oneLine }: { text: string; label: string; oneLine?: boolean },
): Html {
  return (
    <div class={oneLine ? "copyable line" : "copyable"}>
      <pre
        tabindex={0}
        aria-label={label}
        data-copy-source
      >{oneLine ? <BreakableName text={text} /> : text}</pre>
      <button
        type="button"
        class="plain"
        data-copy
        hidden
        aria-label={`Copy ${label}`}
        title={`Copy ${label}`}
      >
        <Icon name="copy" />
      </button>
    </div>
  );
}

/** Renders a paragraph that warns of something. */
export function Warning({ children }: { children: Content }): Html {
  return (
    <p class="flash warn">
      <Icon name="warning" />
      <span>{children}</span>
    </p>
  );
}

interface SectionProps {
  /** Id of the heading. */
  readonly id: string;
  readonly title: Content;
  /** Number of objects that the section is about. */
  readonly count?: number;
  readonly class?: string;
  readonly children?: Content;
}

/** Renders a section under its heading. */
export function Section({ id, title, count, class: look, children }: SectionProps): Html {
  return (
    <section {...(look === undefined ? {} : { class: look })} aria-labelledby={id}>
      <h2 id={id}>
        {title}
        {count === undefined ? null : (
          <>
            {" "}
            <span class="count">{numberText(count)}</span>
          </>
        )}
      </h2>
      {children}
    </section>
  );
}

/** Renders objects that belong to the object of the page: a table of the first ones, and a link to all. */
export function ListSection<Row extends { readonly id?: unknown }>(
  { rows, columns, empty, before, all, dense = false, children, ...section }: Omit<SectionProps, "title"> & {
    title: string;
    rows: readonly Row[];
    columns: readonly Column<Row>[];
    /** What is shown without rows. */
    empty: Content;
    before?: Content;
    /** Path of the list, if it has more rows. */
    all?: string | undefined;
    dense?: boolean;
  },
): Html {
  return (
    <Section {...section}>
      {before}
      {rows.length > 0
        ? <Table caption={section.title} rows={rows} columns={columns} dense={dense} />
        : typeof empty === "string"
        ? <EmptyState text={empty} />
        : empty}
      {all === undefined ? null : (
        <p>
          <a href={all}>View all {section.title.toLowerCase()}</a>
        </p>
      )}
      {children}
    </Section>
  );
}

/**
 * Links that texts of users may have: http, https and mailto. Raw HTML is escaped, and images become links.
 */
const LINKS = /^(?:https?:\/\/[^/]|mailto:)/i;

const parser = new MarkdownIt("commonmark", { html: false, linkify: false, breaks: true, maxNesting: 20 })
  .enable(["table", "strikethrough"])
  .disable("image");
parser.validateLink = (url) => LINKS.test(url);
const { link_open: openLink } = parser.renderer.rules;
parser.renderer.rules.link_open = (tokens, index, options, env, renderer) => {
  tokens[index]?.attrSet("rel", "noopener noreferrer nofollow");
  return openLink?.(tokens, index, options, env, renderer) ?? renderer.renderToken(tokens, index, options);
};

/** Renders a text in Markdown. */
export function Markdown({ text }: { text: string }): Html {
  // The parser escapes everything except its own markup.
  return <div class="markdown" dangerouslySetInnerHTML={{ __html: parser.render(text) }}></div>;
}
