/** Why something was refused; one line, or one per fault. */
export type FormProblem = { message: string; details?: string[] };

export function ProblemList({ problem }: { problem: FormProblem | null }) {
  if (!problem) return null;
  return (
    <div role="alert" className="text-2 text-bad [overflow-wrap:anywhere]">
      ! {problem.message}
      {problem.details ? (
        <ul className="list-disc pl-5">
          {problem.details.map((detail) => (
            <li key={detail}>{detail}</li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}
