import manifest from "../../package.json" with { type: "json" };

/** This application's version. An import, not a file read at run time: Next bundles it. */
export const VERSION: string = manifest.version;
