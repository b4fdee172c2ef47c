import type { SourceView } from "#lib/admin/describe-source.ts";
import { Blank } from "../blank.tsx";
import { Id } from "../id.tsx";
import { OutsideText } from "../outside-text.tsx";
import { Panel } from "../panel.tsx";

const SHOWN = 50;

/** Whose events are taken, and for which tenant. Any other account's wait. */
export function AccountsPanel({ accounts }: { accounts: SourceView["accounts"] }) {
  const aside = accounts.length > SHOWN ? `the first ${SHOWN} of ${accounts.length}` : accounts.length;
  return (
    <Panel title="Accounts" aside={aside}>
      {accounts.length === 0 ? (
        <Blank title="No account">Every event waits until its account is listed.</Blank>
      ) : (
        <div className="table-wrap">
          <table className="rows">
            <thead>
              <tr>
                <th scope="col">Account</th>
                <th scope="col">Tenant</th>
                <th scope="col">Mode</th>
                <th scope="col">Means</th>
              </tr>
            </thead>
            <tbody>
              {accounts.slice(0, SHOWN).map(({ account, tenant, mode, own }) => (
                <tr key={account}>
                  <td className="lead">
                    <Id>{account}</Id>
                  </td>
                  <td data-label="tenant">
                    <OutsideText>{tenant}</OutsideText>
                  </td>
                  <td data-label="mode">{mode}</td>
                  <td className="wide wrap text-ink-2">
                    {own ? "own: also events that name no account" : "events that name it"}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}
