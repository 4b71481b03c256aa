/**
 * Markdown of users as HTML: raw HTML is escaped, images become links, and links have only http, https and mailto URLs.
 */

import MarkdownIt from "markdown-it";
import type { Html } from "./html.ts";

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
