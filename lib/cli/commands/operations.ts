import {
  cancelOperation,
  getOperation,
  listOperationItems,
  listOperations,
  postOperation,
} from "#lib/api/endpoints/operations.ts";
import { type Arguments, type Command, need, text } from "../command.ts";
import { EXIT } from "../failure.ts";
import { showText, writeTable } from "../table.ts";

const FILTERS = ["status", "source", "account", "type", "subject", "q", "since", "until"];

const list: Command = {
  name: "operations list",
  usage: "[--limit N] [--cursor …]",
  summary: "List bulk operations, newest first",
  options: { limit: { type: "string" }, cursor: { type: "string" } },
  positionals: [],
  async run(args, { client, print }) {
    const query = { limit: text(args, "limit"), cursor: text(args, "cursor") };
    const page = await client(listOperations, { query });
    print(page, () =>
      writeTable(
        ["created", "state", "action", "settled", "by", "id"],
        page.items.map((item) => [
          item.createdAt,
          item.status,
          item.action,
          `${item.settled}/${item.count}`,
          item.actor,
          item.id,
        ]),
      ),
    );
    return EXIT.done;
  },
};

const show: Command = {
  name: "operations show",
  usage: "ID",
  summary: "Show an operation with its progress, and the rows that did not go as they were meant to",
  options: {},
  positionals: ["ID"],
  async run({ positionals: [id] }, { client, print }) {
    const operation = await client(getOperation, { params: { id: id! } });
    const query = { verdict: "failures", limit: "50" };
    const failures = await client(listOperationItems, { params: { id: id! }, query });
    print({ ...operation, failures: failures.items }, () =>
      [
        `${operation.action}, ${operation.status}: ${operation.settled} of ${operation.count}`,
        `by ${showText(operation.actor)}: ${showText(operation.reason)}`,
        `of ${showText(operation.filterWords ?? "one event")}`,
        ...Object.entries(operation.verdicts).map(([verdict, items]) => `  ${items} ${verdict}`),
        writeTable(
          ["verdict", "event", "why"],
          failures.items.map((item) => [item.verdict, item.event ?? item.message, item.why]),
        ),
      ].join("\n"),
    );
    return EXIT.done;
  },
};

const start: Command = {
  name: "operations start",
  usage: `ACTION --reason TEXT ${FILTERS.map((name) => `[--${name} …]`).join(" ")} [--count N]`,
  summary: "Count what a bulk replay, retry or dismiss covers; with --count and that very number, start it",
  options: Object.fromEntries(
    [...FILTERS, "reason", "count"].map((name) => [name, { type: "string" as const }]),
  ),
  positionals: ["ACTION"],
  async run(args, { client, print }) {
    const request = {
      action: args.positionals[0]!,
      filter: readFilter(args) as never,
      reason: need(args, "reason"),
    };
    const frozen = await client(postOperation, { body: { ...request, dryRun: true } });
    const count = text(args, "count");
    if (!count) {
      print(frozen, () => `${frozen.count} match. To start it, add --count ${frozen.count}.`);
      return EXIT.done;
    }
    const body = { ...request, token: frozen.token!, count: Number(count) };
    const started = await client(postOperation, { body });
    print(started, () => `${started.operation} starts at ${started.startsAt}.`);
    return EXIT.done;
  },
};

const readFilter = (args: Arguments) =>
  Object.fromEntries(
    FILTERS.flatMap((name) => {
      const value = text(args, name);
      return value ? [[name, value]] : [];
    }),
  );

const cancel: Command = {
  name: "operations cancel",
  usage: "ID [--reason TEXT]",
  summary: "Undo an operation before its start, or stop it where it is",
  options: { reason: { type: "string" } },
  positionals: ["ID"],
  async run(args, { client, print }) {
    const reason = text(args, "reason");
    const answer = await client(cancelOperation, {
      params: { id: args.positionals[0]! },
      body: reason ? { reason } : {},
    });
    print(answer, () =>
      answer.undone ? "undone: nothing was changed" : "cancelled: the rest is left alone",
    );
    return EXIT.done;
  },
};

export const operationCommands: readonly Command[] = [list, show, start, cancel];
