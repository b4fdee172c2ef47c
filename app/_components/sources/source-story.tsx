import { KIND_WORDS } from "#lib/console/kind-words.ts";
import { writeSnippet } from "#lib/console/sender-snippet.ts";
import type { SourcePage } from "#lib/console/source-page.ts";
import { sourceSentence } from "#lib/console/source-state.ts";
import { baseOfAccount } from "#lib/receive/judge.ts";
import type { ChecklistItem } from "#lib/sources/contract-schema.ts";
import { AuditPanel } from "../event/related-panel.tsx";
import { OutsideText } from "../outside-text.tsx";
import type { ReasonAction } from "../reason-dialog.tsx";
import { AccountsPanel } from "./accounts-panel.tsx";
import { CapturesPanel } from "./captures-panel.tsx";
import { ChecklistPanel } from "./checklist-panel.tsx";
import type { ContractAction } from "./contract-dialog.tsx";
import { ContractPanel } from "./contract-panel.tsx";
import type { RotateAction } from "./rotate-dialog.tsx";
import { SecretsPanel } from "./secrets-panel.tsx";
import { SnippetPanel } from "./snippet-panel.tsx";
import { SourceFacts } from "./source-facts.tsx";
import { TestPanel, type TestState } from "./test-panel.tsx";

export type SourceActions = {
  rotate: RotateAction;
  replace: ContractAction;
  test: () => Promise<TestState>;
  confirm: (item: ChecklistItem) => ReasonAction;
  capture: (on: boolean) => ReasonAction;
};

type Props = { page: SourcePage; zone: string; webhookUrl: string; actions: SourceActions };

/** In a sentence whether it takes anything; then what it verifies with, whose events it takes, and how to try it. */
export function SourceStory({ page, zone, webhookUrl, actions }: Props) {
  const { source, health, activity, now } = page;
  const words = KIND_WORDS[source.kind];
  const isSender = source.kind !== "manual";
  return (
    <>
      <p className="sentence">
        <OutsideText>{sourceSentence(source, health, activity, now)}</OutsideText>
      </p>
      <div className="side">
        <div className="stack">
          {page.hasChecklist ? <ChecklistPanel page={page} zone={zone} confirm={actions.confirm} /> : null}
          <CapturesPanel page={page} zone={zone} set={actions.capture} />
          {isSender ? (
            <SecretsPanel
              secrets={source.secrets}
              health={health}
              hint={words.secret}
              now={now}
              zone={zone}
              rotate={actions.rotate}
            />
          ) : null}
          <AccountsPanel accounts={source.accounts} />
          {page.hasContract ? (
            <ContractPanel
              contract={page.contract}
              isPreset={source.contract === null}
              replace={actions.replace}
            />
          ) : null}
          {isSender ? <SnippetPanel snippet={snippetOf(page, webhookUrl)} why={NOTHING_TO_SIGN} /> : null}
        </div>
        <aside className="stack" aria-label="About this source">
          <SourceFacts page={page} webhookUrl={webhookUrl} />
          {isSender ? <TestPanel action={actions.test} /> : null}
          <AuditPanel audit={page.audit} zone={zone} />
        </aside>
      </div>
    </>
  );
}

const NOTHING_TO_SIGN =
  "Ready lines for a terminal appear here when the contract says how a delivery is signed.";

function snippetOf({ source, contract }: SourcePage, url: string): string | null {
  const own = source.accounts.find((account) => account.own) ?? source.accounts[0];
  const account = baseOfAccount(own?.account ?? "own");
  return writeSnippet({ url, kind: source.kind, contract, account, mode: own?.mode ?? "live" });
}
