/** The table of the hand-written receivers: the key that makes a delivery count once, and the body as it came. */
export const HAND_WRITTEN_SCHEMA = `
create table webhook_events (
  id text primary key,
  type text not null,
  body text not null,
  status text not null default 'pending',
  received_at timestamptz not null default now()
)`;
