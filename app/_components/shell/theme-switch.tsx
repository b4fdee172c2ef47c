"use client";

import { useState } from "react";
import { THEME_COOKIE, type Theme } from "#lib/console/viewer.ts";
import { keepChoice } from "./cookie.ts";

const NEXT: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };

/** Goes round: as the system says, light, dark. Kept in a cookie, so that the server renders the right one at once. */
export function ThemeSwitch({ initial }: { initial: Theme }) {
  const [theme, setTheme] = useState(initial);
  const change = () => {
    const next = NEXT[theme];
    setTheme(next);
    keepChoice(THEME_COOKIE, next === "system" ? null : next);
    if (next === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
  };
  return (
    <button type="button" onClick={change}>
      Theme: {theme} <span className="sr-only">, change to {NEXT[theme]}</span>
    </button>
  );
}
