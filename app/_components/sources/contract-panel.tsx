import { describeContract } from "#lib/console/contract-words.ts";
import { prettyJson } from "#lib/console/pretty-json.ts";
import type { SenderContract } from "#lib/sources/contract-schema.ts";
import { Blank } from "../blank.tsx";
import { OutsideText } from "../outside-text.tsx";
import { Panel } from "../panel.tsx";
import { Payload } from "../payload.tsx";
import { type ContractAction, ContractDialog } from "./contract-dialog.tsx";

type Props = { contract: SenderContract | null; isPreset: boolean; replace: ContractAction };

/** What is known of the sender, in words; the document itself below. */
export function ContractPanel({ contract, isPreset, replace }: Props) {
  return (
    <Panel title="Contract" aside={<ContractDialog action={replace} />}>
      {contract === null ? (
        <Blank title="The stored contract is not usable">
          It does not pass the checks of this version. Every request is answered with 503.
        </Blank>
      ) : (
        <>
          <p className="part text-ink-2">
            {isPreset
              ? "The preset of this kind; nothing of it was changed."
              : "A document of this source’s own."}
          </p>
          <dl className="contract border-t border-line">
            {describeContract(contract).map(({ what, value, code }) => (
              <div key={`${what} ${value}`}>
                <dt>{what}</dt>
                <dd className={code ? "mono" : ""}>
                  <OutsideText>{value}</OutsideText>
                </dd>
              </div>
            ))}
          </dl>
          <Types types={contract.types} />
          <details className="part border-t border-line">
            <summary className="cursor-pointer text-1 text-ink-2">The document</summary>
            <Payload
              view={{ kind: "text", text: prettyJson(JSON.stringify(contract)).text, notice: null }}
              label="The contract in force"
            />
          </details>
        </>
      )}
    </Panel>
  );
}

function Types({ types }: { types: SenderContract["types"] }) {
  const entries = Object.entries(types);
  if (entries.length === 0) return null;
  return (
    <div className="table-wrap border-t border-line">
      <table className="rows">
        <thead>
          <tr>
            <th scope="col">Type</th>
            <th scope="col">Meaning</th>
            <th scope="col">Meant for</th>
          </tr>
        </thead>
        <tbody>
          {entries.slice(0, 100).map(([name, { meaning, effect }]) => (
            <tr key={name}>
              <td className="lead">
                <code>
                  <OutsideText>{name}</OutsideText>
                </code>
              </td>
              <td className="wide wrap text-ink-2">
                <OutsideText>{meaning}</OutsideText>
              </td>
              <td className="text-ink-2">{effect ?? "nothing"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
