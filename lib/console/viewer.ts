/** What a browser has chosen for itself, kept in cookies that the server reads before it renders. */

export const THEME_COOKIE = "counterfoil_theme";
export const ZONE_COOKIE = "counterfoil_zone";

export type Theme = "system" | "light" | "dark";

export const knownTheme = (value: string | undefined): Theme =>
  value === "light" || value === "dark" ? value : "system";
