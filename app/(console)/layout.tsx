import { NuqsAdapter } from "nuqs/adapters/next/app";
import { type ReactNode, Suspense } from "react";
import { KeysHelp } from "../_components/shell/keys-help.tsx";
import { Nav } from "../_components/shell/nav.tsx";
import { PulseProvider } from "../_components/shell/pulse-context.tsx";
import { ThemeSwitch } from "../_components/shell/theme-switch.tsx";
import { WorkersSeen } from "../_components/shell/workers-seen.tsx";
import { ZoneSwitch } from "../_components/shell/zone-switch.tsx";
import { loadPulse } from "./load-pulse.ts";
import { readViewer } from "./viewer.ts";

/** The frame of every page. What it shows of the database comes later and on its own, so that no page waits for it. */
export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const { theme, zone } = await readViewer();
  return (
    <PulseProvider initial={loadPulse()}>
      <a className="btn skip" href="#main">
        Skip to the content
      </a>
      <div className="shell">
        <Nav
          foot={
            <>
              <Suspense fallback={<span>&nbsp;</span>}>
                <WorkersSeen />
              </Suspense>
              <ZoneSwitch zone={zone} />
              <ThemeSwitch initial={theme} />
              <KeysHelp />
            </>
          }
        />
        <main id="main" className="page" tabIndex={-1}>
          <NuqsAdapter>{children}</NuqsAdapter>
        </main>
      </div>
    </PulseProvider>
  );
}
