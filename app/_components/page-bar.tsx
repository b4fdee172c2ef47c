import type { ReactNode } from "react";
import { FindBox } from "./shell/find-box.tsx";

type Props = {
  /** The heading, or a path of crumbs that ends in it. */
  title: ReactNode;
  /** Beside the title, quiet: how fresh, how many. */
  note?: ReactNode;
  children?: ReactNode;
};

export function PageBar({ title, note, children }: Props) {
  return (
    <header className="bar">
      {title}
      {note ? <span className="text-1 text-ink-3">{note}</span> : null}
      <span className="grow" />
      <FindBox />
      {children}
    </header>
  );
}
