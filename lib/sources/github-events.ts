import { type JsonValue, member } from "#lib/json.ts";

/**
 * What the body of each event must have, and after "!" what it must not: the key of a narrower event that carries
 * everything this one needs (a comment's body also has the issue). The first key is the thing the event is about;
 * "?" is a key that may be null, "=" lists the only values of one. Actions are listed only where nothing else tells
 * two events apart, because GitHub adds new ones. Derived from the payloads of @octokit/webhooks-examples; events not listed are not checked.
 */
const EVENTS: Record<string, string> = {
  branch_protection_rule: "rule action",
  check_run: "check_run action ! deployment_status",
  cache_sync: "cache_location ref before after",
  check_suite: "check_suite action",
  code_scanning_alert: "alert action commit_oid",
  commit_comment: "comment action ! issue pull_request discussion",
  content_reference: "content_reference action",
  create: "ref ref_type master_branch",
  delete: "ref ref_type pusher_type ! master_branch",
  dependabot_alert: "alert action ! commit_oid location",
  deploy_key: "key action",
  deployment: "deployment ! deployment_status workflow_job",
  deployment_review: "workflow_run action since reviewers",
  deployment_status: "deployment_status deployment",
  discussion: "discussion action ! comment",
  discussion_comment: "comment action discussion",
  enterprise: "sender action=anonymous_access_enabled,anonymous_access_disabled",
  fork: "forkee",
  github_app_authorization: "sender action=revoked ! *",
  gollum: "pages",
  installation: "installation action=created,deleted,new_permissions_accepted,suspend,unsuspend ! *",
  installation_repositories: "installation action repositories_added repositories_removed",
  issue_comment: "comment action issue",
  issues: "issue action ! comment",
  label: "label action ! issue pull_request discussion",
  marketplace_purchase: "marketplace_purchase action effective_date",
  member: "member action repository",
  membership: "team action scope member",
  merge_group: "merge_group action",
  meta: "hook action hook_id",
  milestone: "milestone action ! issue pull_request",
  organization: "organization action ! * repository",
  org_block: "blocked_user action organization",
  package: "package action",
  page_build: "build id",
  ping: "hook_id zen hook",
  project: "project action",
  project_card: "project_card action",
  project_column: "project_column action",
  projects_v2_item: "projects_v2_item action",
  public: "repository ! * action status",
  pull_request: "pull_request action number ! comment review thread",
  pull_request_review: "review action pull_request",
  pull_request_review_comment: "comment action pull_request",
  pull_request_review_thread: "thread action pull_request",
  push: "ref before after commits pusher",
  registry_package: "registry_package action",
  release: "release action",
  repository: "repository action ! * starred_at",
  repository_dispatch: "client_payload action branch",
  repository_import: "repository status ! * action",
  repository_vulnerability_alert: "alert action ! commit_oid location",
  secret_scanning_alert: "alert action ! commit_oid location",
  secret_scanning_alert_location: "location action alert",
  security_advisory: "security_advisory action",
  sponsorship: "sponsorship action",
  star: "repository action=created,deleted starred_at? ! *",
  status: "sha state commit branches",
  team: "team action organization ! scope",
  team_add: "team repository organization ! action",
  watch: "repository action=started ! * starred_at",
  user: "user action ! organization",
  workflow_dispatch: "workflow inputs ref ! workflow_run",
  workflow_job: "workflow_job action",
  workflow_run: "workflow_run action workflow ! reviewers deployment",
};

type Need = { key: string; nullable: boolean; values: readonly string[] | null };
type Shape = { thing: string; needs: readonly Need[]; excludes: readonly string[] };

const SHAPES = new Map(Object.entries(EVENTS).map(([event, text]) => [event, readShape(text)]));

function readShape(text: string): Shape {
  const [needs = "", excludes = ""] = text.split("!").map((half) => half.trim());
  const words = needs.split(" ").map(readNeed);
  return { thing: words[0]!.key, needs: words, excludes: excludes.split(" ").filter(Boolean) };
}

function readNeed(word: string): Need {
  const [name = "", values] = word.split("=");
  return { key: name.replace("?", ""), nullable: name.endsWith("?"), values: values?.split(",") ?? null };
}

/** Keys that make a body about something in particular; what "*" stands for. Those every body may have are not. */
const COMMON = new Set(["action", "repository", "organization", "installation", "sender", "user"]);
const PARTICULAR = [...SHAPES.values()].map(({ thing }) => thing).filter((thing) => !COMMON.has(thing));

/** The key of the thing that an event is about; null for an event that is not listed or is about no one thing. */
export function thingOf(event: string): string | null {
  const thing = SHAPES.get(event)?.thing;
  return thing && !COMMON.has(thing) ? thing : null;
}

/**
 * Whether a body can be of the event that its unsigned header names. Someone who holds a signed body could send it
 * again under another event; this is what refuses it, beside the guard on the body's digest.
 */
export function fitsEvent(event: string, payload: JsonValue): boolean {
  const shape = SHAPES.get(event);
  if (!shape) return true;
  const excludes = shape.excludes.flatMap((key) => (key === "*" ? PARTICULAR : [key]));
  return (
    shape.needs.every((need) => meets(need, member(payload, need.key))) &&
    !excludes.some((key) => member(payload, key) !== undefined)
  );
}

function meets({ nullable, values }: Need, value: JsonValue | undefined): boolean {
  if (value === undefined || value === null) return nullable && value === null;
  return values === null || (typeof value === "string" && values.includes(value));
}
