import { isConflict } from "./errors.ts";

const TRIES = 5;

/**
 * Runs a whole transaction again when PostgreSQL ended it for a deadlock or a serialisation failure: nobody's fault,
 * and nothing of it happened. What still fails after five tries is thrown.
 */
export async function repeatOnConflict<T>(transaction: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await transaction();
    } catch (error) {
      if (!isConflict(error) || tries === TRIES) throw error;
    }
  }
}
