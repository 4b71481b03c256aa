/** Splits a text that arrives in chunks into lines. */

/** Yields each line without its line end, also a last one that has none. */
export class TextLineStream extends TransformStream<string, string> {
  constructor() {
    let open = "";
    super({
      transform(piece, controller): void {
        const lines = (open + piece).split("\n");
        open = lines.pop() ?? "";
        for (const line of lines) controller.enqueue(line);
      },
      flush(controller): void {
        if (open !== "") controller.enqueue(open);
      },
    });
  }
}
