/** Names within sentences that are plain text: titles, messages, labels. Elements use `bdi`. */

/** FIRST STRONG ISOLATE and POP DIRECTIONAL ISOLATE (Unicode UAX #9 §2.4). */
const [OPEN, CLOSE] = ["\u2068", "\u2069"];
/** Characters that can change the order of the text around them: controls, and letters of right-to-left scripts. */
const REORDERING =
  /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

/** Returns a name whose characters, also right-to-left marks, cannot reorder the sentence around it. */
export function isolate(name: string): string {
  return REORDERING.test(name) ? `${OPEN}${balanced(name)}${CLOSE}` : name;
}

/** Returns a text that closes the isolates that it opens, and no others. */
function balanced(text: string): string {
  let open = 0;
  const kept = [...text].filter((char) => {
    if (/[\u2066-\u2068]/.test(char)) open++;
    else if (char === CLOSE) return open > 0 && open-- > 0;
    return true;
  });
  return kept.join("") + CLOSE.repeat(open);
}
