"use client";

import { type MouseEvent, useRef, useState } from "react";

/** Which rows of a page are picked, or all that the filter covers. */
export type Selection = {
  ids: readonly string[];
  all: boolean;
  has(id: string): boolean;
  /** A click on a row's box; with Shift, everything between it and the one before. */
  toggle(id: string, event: MouseEvent): void;
  pickPage(): void;
  pickAll(): void;
  clear(): void;
};

/** `list` says which list it is: under another filter nothing stays picked. */
export function useSelection(page: readonly string[], list: string): Selection {
  const [state, setState] = useState({ list, ids: new Set<string>(), all: false });
  const last = useRef<string | null>(null);
  const current = state.list === list ? state : { list, ids: new Set<string>(), all: false };
  // Rows that are no longer on the page are no longer picked: nobody sees them.
  const ids = page.filter((id) => current.all || current.ids.has(id));
  const set = (picked: Iterable<string>, all = false) => setState({ list, ids: new Set(picked), all });
  return {
    ids,
    all: current.all,
    has: (id) => ids.includes(id),
    toggle(id, { shiftKey }) {
      const picked = new Set(ids);
      const isOn = !picked.has(id);
      const from = shiftKey && last.current !== null ? page.indexOf(last.current) : -1;
      const to = page.indexOf(id);
      const range = from < 0 ? [id] : page.slice(Math.min(from, to), Math.max(from, to) + 1);
      for (const each of range) {
        if (isOn) picked.add(each);
        else picked.delete(each);
      }
      last.current = id;
      set(picked);
    },
    pickPage: () => set(page),
    pickAll: () => set(page, true),
    clear: () => set([]),
  };
}
