import type { Outcome } from "#lib/outcome.ts";

type Refusal = Extract<Outcome<never>, { ok: false }>;

/**
 * Carries a refusal out of a transaction. The driver commits unless the callback throws, so a refusal that is found
 * after the first write has to be thrown inside and becomes a value again outside.
 */
export class Undo extends Error {
  override name = "Undo";
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.problem.message);
    this.refusal = refusal;
  }

  static unless<T>(outcome: Outcome<T>): T {
    if (outcome.ok) return outcome.value;
    throw new Undo(outcome);
  }

  static async catch<T>(run: () => Promise<unknown>): Promise<Outcome<T>> {
    try {
      return (await run()) as Outcome<T>;
    } catch (error) {
      if (error instanceof Undo) return error.refusal;
      throw error;
    }
  }
}
