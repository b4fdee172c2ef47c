"use client";

import { useRouter } from "next/navigation";
import { useActionState, useState } from "react";
import type { Mode } from "#db/states.ts";
import { KIND_WORDS, SENDER_KINDS, type SenderKind } from "#lib/console/kind-words.ts";
import { sourceHref } from "#lib/console/links.ts";
import { Field } from "./field.tsx";
import { type FormProblem, ProblemList } from "./problem-list.tsx";

export type NewSource = {
  kind: SenderKind;
  id: string;
  name: string;
  account: string;
  tenant: string;
  mode: Mode;
  secret: string;
  contract: string;
};
type Props = { webhooksUrl: string; action: (source: NewSource) => Promise<FormProblem | null> };

const EMPTY: NewSource = {
  kind: "stripe",
  id: "",
  name: "",
  account: "",
  tenant: "",
  mode: "live",
  secret: "",
  contract: "",
};

/** What a sender needs to be pointed here. No field has a name: nothing of it may end up in an address. */
export function AddSourceForm({ webhooksUrl, action }: Props) {
  const router = useRouter();
  const [source, setSource] = useState(EMPTY);
  const [problem, submit, busy] = useActionState<FormProblem | null>(async () => {
    try {
      const refused = await action(source);
      if (refused === null) router.push(sourceHref(source.id.trim()));
      return refused;
    } catch {
      return { message: "The server did not answer. Look at the list of sources before another try." };
    }
  }, null);
  const words = KIND_WORDS[source.kind];
  const set = (values: Partial<NewSource>) => setSource({ ...source, ...values });
  const text = (key: Exclude<keyof NewSource, "kind" | "mode">, isRequired = true) => ({
    className: "field",
    value: source[key],
    required: isRequired,
    disabled: busy,
    autoComplete: "off",
    spellCheck: false,
    onChange: (event: { target: { value: string } }) => set({ [key]: event.target.value }),
  });
  return (
    <form action={submit} className="panel part grid gap-4 max-w-[720px]">
      <Field label="Kind" hint={words.verification}>
        {(ties) => (
          <select
            {...ties}
            className="field"
            value={source.kind}
            disabled={busy}
            onChange={(event) => set({ kind: event.target.value as SenderKind })}
          >
            {SENDER_KINDS.map((kind) => (
              <option key={kind} value={kind}>
                {KIND_WORDS[kind].name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <div className="pair">
        <Field label="Id" hint={`${webhooksUrl}/${source.id.trim() || "…"}`}>
          {(ties) => (
            <input
              {...ties}
              {...text("id")}
              maxLength={63}
              pattern="\s*[a-z0-9][a-z0-9\-]*\s*"
              placeholder="billing"
            />
          )}
        </Field>
        <Field label="Name" hint="For people.">
          {(ties) => <input {...ties} {...text("name")} maxLength={200} placeholder="Stripe, live" />}
        </Field>
      </div>
      <div className="pair">
        <Field label="First account" hint={words.account}>
          {(ties) => <input {...ties} {...text("account")} maxLength={255} />}
        </Field>
        <Field label="Mode" hint="Events of the other mode are ignored.">
          {(ties) => (
            <select
              {...ties}
              className="field"
              value={source.mode}
              disabled={busy}
              onChange={(event) => set({ mode: event.target.value as Mode })}
            >
              <option value="live">live</option>
              <option value="test">test</option>
            </select>
          )}
        </Field>
      </div>
      <Field
        label="Tenant"
        hint="Whose workspaces its events may reach. It comes into being when first named."
      >
        {(ties) => <input {...ties} {...text("tenant")} maxLength={255} />}
      </Field>
      <Field label="Signing secret" hint={`${words.secret} Kept encrypted, never shown again.`}>
        {(ties) => <input {...ties} {...text("secret", false)} type="password" maxLength={4096} />}
      </Field>
      {words.contract === null ? null : (
        <Field label="Contract, as JSON" hint={words.contract}>
          {(ties) => (
            <textarea
              {...ties}
              {...text("contract", false)}
              className="field mono"
              rows={10}
              maxLength={100_000}
              placeholder='{"version":1,"verification":{…},"event":{…}}'
            />
          )}
        </Field>
      )}
      <ProblemList problem={problem} />
      <button type="submit" className="btn main justify-self-start" disabled={busy}>
        {busy ? "Adding…" : "Add source"}
      </button>
    </form>
  );
}
