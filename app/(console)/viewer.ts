import { cookies } from "next/headers";
import { knownZone } from "#lib/console/time.ts";
import { knownTheme, THEME_COOKIE, type Theme, ZONE_COOKIE } from "#lib/console/viewer.ts";

/** What this browser has chosen; each value is checked, for a cookie is only text from outside. */
export async function readViewer(): Promise<{ theme: Theme; zone: string }> {
  const jar = await cookies();
  return { theme: knownTheme(jar.get(THEME_COOKIE)?.value), zone: knownZone(jar.get(ZONE_COOKIE)?.value) };
}
