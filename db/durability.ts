/**
 * An expression for the select list of a statement that promises something: its transaction then commits with
 * synchronous_commit on, or with whatever stronger the server is set to. Local to the transaction, so that it is
 * right behind a transaction pooler too, and costs no statement of its own.
 */
export const DURABLE = `set_config('synchronous_commit',
  case when current_setting('synchronous_commit') in ('off', 'local', 'remote_write') then 'on'
    else current_setting('synchronous_commit') end, true) as durable`;
