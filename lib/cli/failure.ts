/** Exit statuses: 0 done, 1 refused or a rule is broken, 2 the command line is wrong, 3 no answer. */
export const EXIT = { done: 0, refused: 1, usage: 2, unreachable: 3 } as const;

/** Ends a command with a message for the person at the terminal, and no stack. */
export class CliFailure extends Error {
  override name = "CliFailure";
  readonly exit: number;

  constructor(message: string, exit: number = EXIT.refused) {
    super(message);
    this.exit = exit;
  }
}
