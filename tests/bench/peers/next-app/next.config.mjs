/** Packages come from the repository through a symbolic link, which the bundler only follows inside its root. */
export default {
  turbopack: { root: "/" },
  typescript: { ignoreBuildErrors: true },
};
