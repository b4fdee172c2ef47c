// Plain JavaScript, loaded with --import before anything else: an older Node cannot even read the .ts files.
const [major] = process.versions.node.split(".");
if (Number(major) < 24) {
  console.error(
    `Counterfoil needs Node 24 or newer; this is ${process.version}. npm installs the right one into node_modules: run "npm ci" without --ignore-scripts, and start through npm (npm start).`,
  );
  process.exit(1);
}
