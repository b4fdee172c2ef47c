import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "./globals.css";
import type { Metadata, Viewport } from "next";
import { cookies } from "next/headers";
import type { ReactNode } from "react";
import { knownTheme, THEME_COOKIE } from "#lib/console/viewer.ts";

export const metadata: Metadata = {
  title: { default: "Counterfoil", template: "%s · Counterfoil" },
  robots: { index: false, follow: false },
  referrer: "no-referrer",
  // Ids of nothing but digits are no telephone numbers.
  formatDetection: { telephone: false, email: false, address: false },
};

export const viewport: Viewport = { width: "device-width", initialScale: 1 };

/** The theme comes from a cookie, so that no script has to run before the first paint. */
export default async function RootLayout({ children }: { children: ReactNode }) {
  const theme = knownTheme((await cookies()).get(THEME_COOKIE)?.value);
  return (
    <html lang="en" data-theme={theme === "system" ? undefined : theme} suppressHydrationWarning>
      <body>{children}</body>
    </html>
  );
}
