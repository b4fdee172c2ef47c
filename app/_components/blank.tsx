import type { ReactNode } from "react";

/** What stands where rows would be: why there are none, and what to do about it. */
export function Blank({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="blank">
      <b>{title}</b>
      {children}
    </div>
  );
}
