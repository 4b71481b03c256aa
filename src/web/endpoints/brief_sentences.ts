/** Sentences of lists about states of endpoints, where other columns have the names that the whole sentence contains. */
export const BRIEF_SENTENCES: Readonly<Record<string, string>> = {
  superseded: "It serves a replaced certificate.",
};
