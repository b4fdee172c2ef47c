import { makeWorkerUtils } from "graphile-worker";
import { type ArrivalOrder, letArrive } from "../support/arrivals.ts";
import { answerQuestions } from "../support/peer.ts";

const utils = await makeWorkerUtils({ connectionString: process.env.DATABASE_URL ?? "" });

answerQuestions({
  run: (order: ArrivalOrder) => letArrive(order, (body) => utils.addJob("grant", JSON.parse(body))),
});
