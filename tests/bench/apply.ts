import { measureHistory } from "./apply-history.ts";
import { measureLatency } from "./apply-latency.ts";
import { measureThroughput } from "./apply-throughput.ts";
import type { Lab } from "./support/lab.ts";

/** Workers under the same work: the credit grant of a paid invoice, on the same server. */
export async function benchApply(lab: Lab): Promise<void> {
  await measureThroughput(lab);
  await measureLatency(lab);
  await measureHistory(lab);
}
