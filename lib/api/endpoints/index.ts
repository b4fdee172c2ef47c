import type { Endpoint } from "../endpoint.ts";
import { getEvent, getInvoice, listInbox, replayEvent } from "./inbox.ts";
import { getCheck, listOutbox, listRejections, listWorkers, postCheck } from "./running.ts";
import { getSource, listSources, pauseSource, putSource, resumeSource, rotateSecret } from "./sources.ts";
import { getWorkspace, putCustomerLink, putWorkspace } from "./workspaces.ts";

/** Every call of the API, in the order in which the OpenAPI document lists them. */
export const ENDPOINTS: readonly Endpoint[] = [
  listInbox,
  getEvent,
  replayEvent,
  getInvoice,
  getWorkspace,
  putWorkspace,
  putCustomerLink,
  listSources,
  getSource,
  putSource,
  rotateSecret,
  pauseSource,
  resumeSource,
  listOutbox,
  listRejections,
  listWorkers,
  getCheck,
  postCheck,
];
