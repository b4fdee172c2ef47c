import type { Rule } from "./check.ts";

/** What effects beside the ledger keep. */
export const EFFECT_RULES: readonly Rule[] = [
  {
    name: "one_alert_per_feedback_operation",
    rule: "A feedback has at most one alert per operation, however its key is spelled, and each alert its feedback.",
    query: `
      select alert.source_id as source, alert.account as project, btrim(alert.feedback_id) as feedback,
        lower(btrim(alert.operation)) as operation, count(*)::int as alerts
      from feedback_alerts alert
      left join feedback stored on (stored.source_id, stored.account, stored.feedback_id)
        = (alert.source_id, alert.account, alert.feedback_id)
      group by 1, 2, 3, 4 having count(*) > 1 or bool_or(stored.feedback_id is null)`,
  },
  {
    name: "applied_feedback_has_alert",
    rule: "A feedback alert that was applied is there, made by that event.",
    query: `
      select effect.inbox_event_id::text as event from inbox_effects effect
      where effect.effect = 'feedback-alert' and effect.outcome = 'applied' and not exists (
        select from feedback_alerts alert where alert.inbox_event_id = effect.inbox_event_id)`,
  },
  {
    name: "marked_subscription_is_due",
    rule: "A subscription that was marked and not fetched since is due, or says why it is not.",
    query: `
      select source_id as source, account, subscription from subscriptions
      where marks > fetched_marks and refresh_at is null and refresh_error is null`,
  },
];
