/**
 * Short sentences about states of endpoints for lists, in which other columns have the names of the complete sentences.
 */
export const BRIEF_SENTENCES: Readonly<Record<string, string>> = {
  superseded: "It serves a replaced certificate.",
};
