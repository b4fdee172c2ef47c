import type { Endpoint } from "../endpoint.ts";
import { getConflicts } from "./conflicts.ts";
import { correctCredits, putPaymentLink } from "./corrections.ts";
import {
  getDestination,
  listDestinations,
  pauseDestination,
  putDestination,
  resumeDestination,
  testDestination,
} from "./destinations.ts";
import { listFeedback } from "./feedback.ts";
import { getEvent, getInvoice, listInbox, replayEvent } from "./inbox.ts";
import {
  cancelOperation,
  getOperation,
  listOperationItems,
  listOperations,
  postOperation,
} from "./operations.ts";
import { getDelivery, getMessage, listOutbox, resolveMessage, retryDelivery } from "./outbox.ts";
import {
  cancelReconciliation,
  dismissGap,
  getReconciliation,
  listGaps,
  listReconciliations,
  postReconciliation,
  repairGaps,
} from "./reconciliations.ts";
import { resolveEvent } from "./resolve.ts";
import { postRestored } from "./restored.ts";
import { getCheck, listRejections, listWorkers, postCheck } from "./running.ts";
import { confirmContract, listCaptures, setCapture, testSource } from "./source-tools.ts";
import {
  getSource,
  listSources,
  pauseSource,
  putCredentials,
  putSource,
  resumeSource,
  rotateSecret,
} from "./sources.ts";
import { getWorkspace, putCustomerLink, putWorkspace } from "./workspaces.ts";

/** Every call of the API, in the order in which the OpenAPI document lists them. */
export const ENDPOINTS: readonly Endpoint[] = [
  listInbox,
  getEvent,
  getConflicts,
  replayEvent,
  resolveEvent,
  postOperation,
  listOperations,
  getOperation,
  listOperationItems,
  cancelOperation,
  getInvoice,
  getWorkspace,
  putWorkspace,
  correctCredits,
  putCustomerLink,
  putPaymentLink,
  listSources,
  getSource,
  putSource,
  rotateSecret,
  putCredentials,
  pauseSource,
  resumeSource,
  setCapture,
  listCaptures,
  testSource,
  confirmContract,
  postReconciliation,
  listReconciliations,
  getReconciliation,
  cancelReconciliation,
  listGaps,
  repairGaps,
  dismissGap,
  postRestored,
  listFeedback,
  listOutbox,
  getMessage,
  resolveMessage,
  getDelivery,
  retryDelivery,
  listDestinations,
  getDestination,
  putDestination,
  testDestination,
  pauseDestination,
  resumeDestination,
  listRejections,
  listWorkers,
  getCheck,
  postCheck,
];
