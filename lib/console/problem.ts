/** Why a read failed, in words for the person who waits for it. What passes by itself is tried again by itself. */
export type Problem = { title: string; advice: string; passes: boolean };

export class ReadTimeout extends Error {
  override name = "ReadTimeout";
}

/** Statement timeout, lock timeout, and our own deadline. */
const SLOW = new Set(["57014", "55P03"]);
const UNREACHABLE = /^(ECONN|EPIPE|ENOTFOUND|EAI_|ETIMEDOUT|CONNECT|CONNECTION_|57P0|08|53300)/;

export function describeProblem(error: unknown): Problem {
  const code = errorCode(error);
  if (error instanceof ReadTimeout || SLOW.has(code)) {
    return {
      title: "The database did not answer in time",
      advice:
        "Nothing is lost. Try again in a moment; in a list, a shorter time range or a single source helps.",
      passes: false,
    };
  }
  if (UNREACHABLE.test(code)) {
    return {
      title: "The database cannot be reached",
      advice:
        "New events are answered with 503, and their senders try again. This page comes back with the database.",
      passes: true,
    };
  }
  return {
    title: "This could not be read",
    advice: "The cause is in the server's log. Nothing was changed.",
    passes: false,
  };
}

function errorCode(error: unknown): string {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : "";
  return typeof code === "string" ? code : "";
}

/** A page must not hang on a database that accepts connections and then says nothing. */
export async function withDeadline<T>(work: Promise<T>, millis = 8_000): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ReadTimeout(`no answer within ${millis} ms`)), millis);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
