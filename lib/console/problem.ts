/** Why a read failed, in words for the person who waits for it. */
export type Problem = { title: string; advice: string };

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
      advice: "Nothing is lost. Choose a shorter time range or a single source, or try again in a moment.",
    };
  }
  if (UNREACHABLE.test(code)) {
    return {
      title: "The database cannot be reached",
      advice:
        "New events are answered with 503, and their senders try again. This page comes back with the database.",
    };
  }
  return {
    title: "This could not be read",
    advice: "The cause is in the server's log. Nothing was changed.",
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
