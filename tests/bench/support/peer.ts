/** The peer's side of the talk with the bench: answers questions until it is gone, and never outlives it. */
export function answerQuestions<Question extends string>(
  answers: Record<Question, (argument: never) => Promise<unknown>>,
): void {
  process.on("disconnect", () => process.exit());
  process.channel!.ref(); // end-with-parent.ts lets go of it, and the questions are all that this one lives for.
  process.on("message", async (message: { id: number; question: Question; argument: unknown }) => {
    try {
      const answer = await answers[message.question](message.argument as never);
      process.send!({ id: message.id, answer });
    } catch (error) {
      process.send!({
        id: message.id,
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
    }
  });
  process.send!({ type: "listening" });
}
