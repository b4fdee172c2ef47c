/** Why something that was asked for was not done. The API maps each code to a status, the console shows the message. */
export type Problem = {
  code: "not_found" | "conflict" | "unacceptable" | "forbidden";
  message: string;
  /** The state that was found instead of the one that was needed. */
  state?: string;
};

/** What a request for a change or a row came to: outcomes are values, exceptions are surprises. */
export type Outcome<T> = { ok: true; value: T } | { ok: false; problem: Problem };

export const succeed = <T>(value: T): Outcome<T> => ({ ok: true, value });

export function refuse(
  code: Problem["code"],
  message: string,
  state?: string,
): { ok: false; problem: Problem } {
  return { ok: false, problem: { code, message, ...(state !== undefined && { state }) } };
}
