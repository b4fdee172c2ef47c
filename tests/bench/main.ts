import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { benchApply } from "./apply.ts";
import { benchReceive } from "./receive.ts";
import { benchSend } from "./send.ts";
import { type Lab, openLab } from "./support/lab.ts";
import { describeMachine } from "./support/machine.ts";

/** `npm run bench -- [name…] [--json FILE] [--quick]`; without a name all of them, one after the other. */
const BENCHES: Record<string, (lab: Lab) => Promise<void>> = {
  receive: benchReceive,
  apply: benchApply,
  send: benchSend,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "string" },
    quick: { type: "boolean", default: false },
    /** Only contenders whose name begins with one of these: for work on one of them. Ratios need the others. */
    only: { type: "string", multiple: true },
  },
});
const unknown = positionals.filter((name) => !Object.hasOwn(BENCHES, name));
if (unknown.length > 0) {
  console.error(
    `There is no benchmark ${unknown.join(", ")}. There are: ${Object.keys(BENCHES).join(", ")}.`,
  );
  process.exit(2);
}

const lab = await openLab({ quick: values.quick, only: values.only ?? [] });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => void lab.close().finally(() => process.exit(130)));
}
let status = 0;
try {
  console.log(await describeMachine(lab.adminUrl));
  for (const name of positionals.length > 0 ? positionals : Object.keys(BENCHES)) await BENCHES[name]!(lab);
  if (values.json) await writeFile(values.json, `${JSON.stringify(lab.figures.all, null, 2)}\n`);
} catch (error) {
  status = 1;
  console.error(error);
} finally {
  await lab.close();
}
process.exit(status);
