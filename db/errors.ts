/** The SQLSTATE of an error from PostgreSQL, looked for through its causes; null for any other error. */
export function sqlState(error: unknown): string | null {
  for (let at = error; at instanceof Error; at = at.cause) {
    const code = (at as { code?: unknown }).code;
    if (typeof code === "string" && /^[0-9A-Z]{5}$/.test(code)) return code;
  }
  return null;
}

/** Data that the database refuses (classes 22 and 23, or too large): the row's fault, not the moment's. */
export function isDataError(error: unknown): boolean {
  return /^(22|23|54)/.test(sqlState(error) ?? "");
}

/** A value that PostgreSQL cannot keep at all (classes 22 and 54): no later try, and no other schema, would help. */
export function isUnstorable(error: unknown): boolean {
  return /^(22|54)/.test(sqlState(error) ?? "");
}

/** Deadlock and serialisation failure: the whole transaction may be tried again at once. */
export function isConflict(error: unknown): boolean {
  const state = sqlState(error);
  return state === "40P01" || state === "40001";
}

/**
 * The database or the way to it failed, whatever row was at hand: connection errors (class 08 and the driver's own),
 * shutdown and terminated backends (57), exhausted resources (53), a transaction idle for too long (25P03, 25P04).
 */
export function isOutage(error: unknown): boolean {
  const state = sqlState(error);
  if (state) return /^(08|53|57|25P03|25P04)/.test(state);
  for (let at = error; at instanceof Error; at = at.cause) {
    const code = (at as { code?: unknown }).code;
    if (typeof code === "string" && /^(CONNECTION_|CONNECT_|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND)/.test(code))
      return true;
  }
  return false;
}
