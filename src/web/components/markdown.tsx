/** Markdown of users as HTML: raw HTML is escaped, images become links, links lead to http, https and mailto only. */

import type MarkdownIt from "markdown-it";
import type { Html } from "./html.ts";

type Parser = InstanceType<typeof MarkdownIt>;

const LINKS = /^(?:https?:\/\/[^/]|mailto:)/i;

let loading: Promise<Parser> | undefined;

/** Loads the parser at the first text: its table of HTML entities takes more memory than all pages together. */
async function loadParser(): Promise<Parser> {
  const { default: Library } = await import("markdown-it");
  const parser = new Library("commonmark", { html: false, linkify: false, breaks: true, maxNesting: 20 })
    .enable(["table", "strikethrough"])
    .disable("image");
  parser.validateLink = (url) => LINKS.test(url);
  const { link_open: openLink } = parser.renderer.rules;
  parser.renderer.rules.link_open = (tokens, index, options, env, renderer) => {
    tokens[index]?.attrSet("rel", "noopener noreferrer nofollow");
    return openLink?.(tokens, index, options, env, renderer) ?? renderer.renderToken(tokens, index, options);
  };
  return parser;
}

/** A text in Markdown. */
export async function Markdown({ text }: { text: string }): Promise<Html> {
  const parser = await (loading ??= loadParser());
  // The parser escapes everything that it does not make itself.
  return <div class="markdown" dangerouslySetInnerHTML={{ __html: parser.render(text) }}></div>;
}
