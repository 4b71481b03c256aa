/** Lines of a text that comes in pieces. */

/** Gives each line without its end; a last one without an end too. */
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
