"use client";

import { Dialog } from "@base-ui/react/dialog";
import { useActionState, useState } from "react";
import { number } from "#lib/console/text.ts";
import { Field } from "../sources/field.tsx";

export type CorrectInput = { key: string; amount: number; reason: string };
/** The event that was made or found, or why not. */
export type CorrectResult = { ok: true; status: string; event: string } | { ok: false; message: string };

type Props = {
  name: string;
  balance: string;
  /** A key nobody has used; the same dialog sent twice is one correction. */
  suggestKey: () => string;
  action: (input: CorrectInput) => Promise<CorrectResult>;
};

/** A correction by hand: first what it comes to, then the confirmation. */
export function CorrectDialog(props: Omit<Props, "suggestKey">) {
  const [open, setOpen] = useState(false);
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Trigger className="btn">Correct the balance…</Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop z-20" />
        <Dialog.Popup className="popup dialog z-20">
          <Dialog.Title className="text-4 font-semibold mb-1">Correct the balance</Dialog.Title>
          <Dialog.Description className="text-2 text-ink-2 mb-4">
            An entry of its own in the ledger, with your name and reason. Nothing that is there is changed.
          </Dialog.Description>
          <CorrectForm {...props} suggestKey={randomKey} onDone={() => setOpen(false)} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

const randomKey = () => `by-hand-${crypto.randomUUID().slice(0, 13)}`;
const AMOUNT = /^[+-]?[1-9]\d{0,14}$/;

function CorrectForm({ name, balance, suggestKey, action, onDone }: Props & { onDone: () => void }) {
  const [amount, setAmount] = useState("");
  const [reason, setReason] = useState("");
  const [key, setKey] = useState(suggestKey);
  const [isSure, setSure] = useState(false);
  const [problem, submit, busy] = useActionState(async () => {
    if (!isSure) {
      setSure(true);
      return null;
    }
    try {
      const result = await action({ key: key.trim(), amount: Number(amount), reason: reason.trim() });
      if (result.ok) onDone();
      return result.ok ? null : result.message;
    } catch {
      return "The server did not answer. Send it again with the same key: it is taken once.";
    }
  }, null);
  const usable = AMOUNT.test(amount.trim()) && reason.trim() !== "" && key.trim() !== "";
  const after = usable ? BigInt(balance) + BigInt(amount.trim().replace("+", "")) : null;
  return (
    <form action={submit} className="grid gap-4">
      <div className="pair">
        <Field label="Credits" hint="Below 0 takes some back.">
          {(ties) => (
            <input
              {...ties}
              className="field num"
              inputMode="numeric"
              value={amount}
              required
              disabled={busy || isSure}
              placeholder="-30"
              onChange={(event) => setAmount(event.target.value)}
            />
          )}
        </Field>
        <Field label="Key" hint="The same key again is the same correction.">
          {(ties) => (
            <input
              {...ties}
              className="field mono"
              value={key}
              maxLength={255}
              required
              disabled={busy || isSure}
              onChange={(event) => setKey(event.target.value)}
            />
          )}
        </Field>
      </div>
      <label className="grid gap-1 text-2">
        <span className="text-ink-2">Reason, kept in the ledger’s event and the audit log</span>
        <input
          className="field"
          value={reason}
          maxLength={1000}
          required
          disabled={busy || isSure}
          onChange={(event) => setReason(event.target.value)}
        />
      </label>
      <p role="status" className="text-2 num">
        {isSure && after !== null
          ? `${name}: ${number(BigInt(balance))} ${amount.trim().startsWith("-") ? "−" : "+"} ${number(BigInt(amount.trim().replace(/^[+-]/, "")))} = ${number(after)} credits.`
          : ""}
      </p>
      {problem ? (
        <p role="alert" className="text-2 text-bad [overflow-wrap:anywhere]">
          ! {problem}
        </p>
      ) : null}
      <div className="flex justify-end gap-2">
        {isSure ? (
          <button type="button" className="btn" disabled={busy} onClick={() => setSure(false)}>
            Change it
          </button>
        ) : (
          <Dialog.Close className="btn">Cancel</Dialog.Close>
        )}
        <button type="submit" className="btn main" disabled={busy || !usable}>
          {isSure ? (busy ? "A moment…" : "Correct it") : "What it comes to"}
        </button>
      </div>
    </form>
  );
}
