/** One rule that must always hold (CONTRACT §6), and the statement that finds every row that breaks it. */
export type Rule = {
  /** snake_case; what scripts look for. */
  name: string;
  /** One sentence for people. */
  rule: string;
  /** Selects the offending rows, with only text, booleans and numbers in its columns. One statement: one snapshot. */
  query: string;
};

export type Violation = Record<string, string | number | boolean | null>;

export type Check = {
  name: string;
  rule: string;
  ok: boolean;
  /** How many rows break the rule; `violations` shows the first of them. */
  count: number;
  violations: Violation[];
};

export const VIOLATIONS_SHOWN = 20;
